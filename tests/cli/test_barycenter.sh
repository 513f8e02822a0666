# `geodisk barycenter`: input in its forms, methods, trace, weights, JSON, and refusals that name the place.
. "$TESTS_DIR/cli/expect.sh"

b() { "$GEODISK" barycenter "$@"; }
from_text() { # from_text TEXT arguments...: TEXT is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" barycenter "$@"
}
point_of() { b "$@" | sed -n 's/^point	//p'; }
# near VALUE EXPECTED TOLERANCE
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t) }'; }
check() { # check TEXT condition...: the condition holds
  text=$1
  shift
  checks=$((checks + 1))
  "$@" || complain "$text" "$@"
}
value_of() { # value_of KEY command...: the value of a line of the output
  key=$1
  shift
  "$@" | sed -n "s/^$key	//p"
}

# One point is its own barycenter, exactly; so is the origin between opposite points.
check 'one point' test "$(from_text '0.25 -0.5\n' - | head -1)" = 'point	0.25	-0.5'
check 'opposite points' test "$(from_text '0.5 0\n-0.5 0\n' - | head -1)" = 'point	0	0'

# The same three points in every form.
printf '0.1\t0.2\n0.3\t-0.4\n-0.5\t0\n' >points.tsv
printf 'name,x,y\na,0.1,0.2\n"b, or ""c""",0.3,-0.4\nd,-0.5,0\n' >points.csv
printf '# a comment\n\n0.1 0.2\r\n  0.3   -0.4\r\n-0.5 0' >points.txt
printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }" >points.npy
printf '\000\000\000\000\000\000\340\077\000\000\000\000\000\000\340\277' >>points.npy # 0.5, -0.5
expected=$(point_of points.tsv)
check 'CSV with names and header' test "$(point_of points.csv)" = "$expected"
check 'blanks, comments, CRLF' test "$(point_of points.txt)" = "$expected"
check 'standard input' test "$(b - <points.tsv | sed -n 's/^point	//p')" = "$expected"
check 'npy' test "$(point_of points.npy)" = 0
check 'npy from standard input' test "$(b - <points.npy | head -1)" = 'point	0'

# The barycenter of 0 and 0.5 is halfway: tan(15 degrees); with weights 1 and 3 at three quarters.
near "$(value_of point from_text '0\n0.5\n' -)" 0.2679491924311227 1e-15 || complain 'midpoint' tan15
printf '1\n3\n' >weights.txt
w=$(printf '0\n0.5\n' >line.txt && point_of line.txt --weights weights.txt)
q=$("$GEODISK" geometry geodesic --at 0 --to 0.5 --share 0.75)
check 'weights' near "$w" "$q" 1e-15
check 'curvature does not move it' test "$(point_of line.txt --curvature 0.25)" = "$(point_of line.txt)"
near "$(value_of loss b line.txt --curvature 0.25)" "$(value_of loss b line.txt | awk '{ printf "%.17g", 4 * $1 }')" 1e-14 ||
  complain 'curvature scales the loss' loss

# Every method agrees with newton within the bound it prints.
for method in gradient fixed-point; do
  for axis in 2 3; do
    check "$method" near "$(b points.tsv --method $method | sed -n 1p | cut -f $axis)" "$(b points.tsv | sed -n 1p | cut -f $axis)" 1e-13
  done
done
check 'sgd' near "$(b points.tsv --method sgd --lr 0.5 --lr-schedule inverse --lr-decay 0.5 --iterations 20000 | sed -n 1p | cut -f 2)" \
  "$(b points.tsv | sed -n 1p | cut -f 2)" 0.02
check 'same seed, same bytes' test "$(b points.tsv --method sgd --seed 3 --iterations 99)" = "$(b points.tsv --method sgd --seed 3 --iterations 99)"
check 'another seed' test "$(b points.tsv --method sgd --seed 3 --iterations 99)" != "$(b points.tsv --method sgd --seed 4 --iterations 99)"
check 'median of three on a line' test "$(from_text '0.1\n0.9\n0.2\n' - --method median | head -1)" = 'point	0.2'
check 'centroid' test "$(from_text '0.5\n-0.5\n' - --method centroid)" = 'point	0'

# JSON: the promised keys, in a line.
b points.tsv --json >out.json
for key in point loss gradient_norm error_bound iterations; do
  check "key $key" grep -q "\"$key\": " out.json
done
check 'one line' test "$(wc -l <out.json)" -eq 1

# The trace: a header, the start, and a line for each step.
b points.tsv --method sgd --iterations 7 --lr 0.2 --trace trace.tsv >/dev/null
check 'trace lines' test "$(wc -l <trace.tsv)" -eq 9
check 'trace header' test "$(head -1 trace.tsv)" = 'iteration	loss	gradient_norm	clips	x1	x2'
check 'trace has losses' test "$(cut -f 2 trace.tsv | grep -c nan)" -eq 0
b points.tsv --method sgd --iterations 7 --trace trace.tsv --evaluate-every 0 >/dev/null
check 'or none' test "$(cut -f 2 trace.tsv | grep -c nan)" -eq 8
b points.tsv --trace newton.tsv >/dev/null
check 'newton decreases the gradient' awk -F '\t' 'NR > 2 && $3 > last * 1.1 && $3 > 1e-15 { bad = 1 } { last = $3 } END { exit bad }' newton.tsv

# The natural update from near the rim clips, and says how often; the boundary is an option.
from_text '0\n0.999999\n' - --method sgd --update natural --lr 3 --iterations 50 --json >clips.json
check 'clips' awk 'match($0, /"clips": [0-9]+/) { exit !(substr($0, RSTART + 9, RLENGTH - 9) > 0) }' clips.json
check 'where they clip' test "$(from_text '0.9\n0.9\n' - --method gradient --start 0 --update natural --lr 100 --iterations 1 --epsilon 0.125 | head -1)" = 'point	0.875'

# Refusals.
expect 2 '' '*POINTS*' b
expect 1 '' '*nothere.tsv*' b nothere.tsv
expect 1 '' '*no points*' from_text '' -
expect 1 '' '*no points*' from_text '# nothing\n' -
expect 1 '' "*row 2, column 2: 'x' is not a number*" from_text '0.1 0.2\n0.1 x\n' -
expect 1 '' '*row 3 has 1 numbers, the first had 2*' from_text '0.1 0.2\n\n0.1\n' -
expect 1 '' '*row 2: the point is not inside the ball of radius 1*' from_text '0.1 0.2\n0.6 0.8\n' -
expect 1 '' '*row 3 (far): the point is not inside*' from_text 'name\tx\nnear\t0.2\nfar\t-2\n' -
expect 0 '*' '' from_text '0.1 0.2\n0.6 0.8\n' - --radius 1.5
expect 1 '' '*not a number*' from_text '0.1 nan\n' -
expect 1 '' '*column 1*NUL*' from_text '0.1 0.2\n0.1\0000.2\n' -
printf '1\n' >short.txt
printf '1\n-1\n0\n' >negative.txt
printf '0\n0\n0\n' >zero.txt
expect 1 '' '*1 rows*3 points*' b points.tsv --weights short.txt
expect 1 '' '*negative.txt: row 2: the weight is negative*' b points.tsv --weights negative.txt
expect 1 '' '*all weights are zero*' b points.tsv --weights zero.txt
expect 2 '' '*--start*' b points.tsv --start '0.1'
expect 1 '' '*start*not inside*' b points.tsv --start '0.1 3'
expect 2 '' '*--method*' b points.tsv --method magic
expect 2 '' '*--lr*' b points.tsv --lr -1
expect 2 '' '*--lr-schedule needs --lr*' b points.tsv --lr-schedule cosine
expect 1 '' '*trace*' b points.tsv --trace no/such/folder/trace
head -c 100 points.npy >cut.npy
expect 1 '' '*npy*' b cut.npy
head -c 138 points.npy >cut.npy
expect 1 '' '*ends within its numbers*' b cut.npy
sed 's/<f8/<i8/' points.npy >integers.npy
expect 1 '' '*float64 or float32*' b integers.npy
sed 's/False/True /' points.npy >fortran.npy
expect 1 '' '*C order*' b fortran.npy
sed 's/(2, 1)/(2,)  /' points.npy >flat.npy
expect 1 '' '*two dimensions*' b flat.npy

finish
