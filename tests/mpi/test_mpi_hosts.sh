# Two network namespaces, joined by a cable of their own, play two hosts: two ranks on each, which can reach each other by TCP only.
# Where the kernel has netem, the cable is slow and uneven too. Then the cable is cut.
. "$TESTS_DIR/mpi/ranks.sh"
[ -z "$CFLAGS" ] || skip 'sanitizers learn nothing from it that the other tests do not show'
command -v ip >/dev/null || skip 'no ip command (Debian: iproute2)'
command -v unshare >/dev/null || skip 'no unshare command'
here=geodisk-a-$$ there=geodisk-b-$$
clean_up() {
  for process in $(ip netns pids $here 2>/dev/null) $(ip netns pids $there 2>/dev/null); do
    kill -9 "$process" 2>/dev/null || true
  done
  ip netns del $here 2>/dev/null || true
  ip netns del $there 2>/dev/null || true
}
trap clean_up EXIT
ip netns add $here 2>/dev/null && ip netns add $there 2>/dev/null || skip 'network namespaces are not permitted'
ip link add gda$$ type veth peer name gdb$$ 2>/dev/null || skip 'no virtual cables'
ip link set gda$$ netns $here && ip link set gdb$$ netns $there
for end in "$here gda$$ 10.99.0.1" "$there gdb$$ 10.99.0.2"; do
  # shellcheck disable=SC2086 # three words
  set -- $end
  ip -n "$1" addr add "$3"/24 dev "$2"
  ip -n "$1" link set "$2" up
  ip -n "$1" link set lo up
  ip netns exec "$1" tc qdisc add dev "$2" root netem delay 1ms 1ms 2>/dev/null && echo "netem on $2" || echo 'without netem'
done

# What mpirun calls instead of ssh: HOST command...
cat >agent.sh <<AGENT
#!/bin/sh
shift
exec ip netns exec $there unshare --uts sh -c "hostname geodisk-b; \$*"
AGENT
chmod +x agent.sh

# on_hosts argument...: geodisk train on both, two ranks each; mpirun asks after 3 s of silence whether the other host is there.
on_hosts() {
  exec ip netns exec $here "$MPIRUN" --host 10.99.0.1:2,10.99.0.2:2 -n 4 --mca plm_rsh_agent "$PWD/agent.sh" --mca btl tcp,self \
    --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 --mca oob_tcp_keepalive_time 3 \
    --mca oob_tcp_keepalive_intvl 2 --mca oob_tcp_keepalive_probes 2 "$GEODISK" train "$@" --threads 1 </dev/null
}

set -- "$data/mammals.tsv" --negatives 20 --dim 3 --core-epochs 0 --quiet
"$GEODISK" train "$@" -o plain.st --epochs 3
(on_hosts "$@" -o "$PWD/hosts.st" --epochs 3)
cmp plain.st hosts.st || fail 'other bytes on two hosts'
sent=$(ip -n $here -s link show gda$$ | awk '/TX:/ { getline; print $1 }')
echo "$sent bytes over the cable"
[ "$sent" -gt 250000 ] || fail "only $sent bytes went over the cable"

# A host that is gone without a word.
rm -f "$PWD/cut.st"
on_hosts "$@" -o "$PWD/cut.st" --epochs 1000000 --checkpoint-every 5 >out.txt 2>err.txt &
job=$!
for _ in $(seq 300); do
  [ ! -e cut.st ] || break
  sleep 0.1
done
[ -e cut.st ] || fail "no checkpoint: $(cat err.txt)"
ip -n $there link set gdb$$ down
started=$(date +%s)
wait $job && fail 'the job ended well'
[ $(($(date +%s) - started)) -le 10 ] || fail 'the job took more than 10 s to end'
grep -q 'Remote daemon: .* on node 10.99.0.2' err.txt || fail "nobody names the host: $(cat err.txt)"
[ "$(occurrences 'continue with --resume .*/cut.st' err.txt)" = 1 ] || fail "nobody names the checkpoint: $(cat err.txt)"
