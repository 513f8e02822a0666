# `geodisk geometry`: values, rows, JSON, and refusals that name the place.
. "$TESTS_DIR/cli/expect.sh"

g() { "$GEODISK" geometry "$@"; }
from_text() { # from_text TEXT arguments...: TEXT is standard input
  text=$1
  shift
  printf "$text" | "$GEODISK" geometry "$@"
}

# Values that closed forms give exactly.
expect 0 '1.0986122886681098' '' g distance --at '0 0' --to '0.5 0' # log 3
expect 0 '0' '' g distance --at '0.3 0.4' --to '0.3 0.4'
expect 0 '0.46211715726000974	0' '' g exp --at '0 0' --tangent '0.5 0' # tanh(1/2)
expect 0 '-0.46211715726000974' '' g exp --at 0 --tangent -0.5
expect 0 '0.46211715726000974	0' '' g exp --at '0 0' --direction '3 0' --length 1
expect 0 '0.5493061443340549	0' '' g log --at '0 0' --to '0.5 0' # log(3)/2
expect 0 '0.2679491924311227' '' g geodesic --at 0 --to 0.5 # tan(15 degrees)
expect 0 '0.5' '' g geodesic --at 0 --to 0.5 --share 1
expect 0 '0.75	0' '' g transport --at '0 0' --to '0.5 0' --tangent '1 0'
expect 0 '2.1972245773362196' '' g distance --at '0 0' --to '0.5 0' --curvature 0.25
expect 0 '1.0986122886681098' '' g distance --at '0 0' --to '2 0' --radius 4

expect 0 '1' '' g norm --at '0.6 0' --tangent '0 0.32'
expect 0 '2' '' g norm --at 0.6 --tangent 0.32 --curvature 0.25
expect 0 '1	0' '' g hessian --at '0.5 0' --to '0 0' --tangent '1 0'
expect 0 '0	1.373265360835137' '' g hessian --at '0.5 0' --to '0 0' --tangent '0 1' # 5/4 log 3
expect 0 '0.3	0' '' g hessian --at '0.5 0' --to '0.5 0' --tangent '0.3 0'

# The natural-gradient step adds; past the rim it is pulled back, said so.
expect 0 '0.75	0.25' '' g exp --at '0.5 0' --tangent '0.25 0.25' --method natural
expect 0 '0.9999999999	0' '*left the ball*' g exp --at '0.5 0' --tangent '1 0' --method natural
expect 0 '{"point": [0.75, 0.25], "clipped": false}' '' g exp --at '0.5 0' --tangent '0.25 0.25' --method natural --json
expect 0 '{"point": [0.9999999999, 0], "clipped": true}' '' g exp -q --at '0.5 0' --tangent '1 0' --method natural --json

# Theorem 1 outside its domain: the wrong point, said so.
expect 0 '-0.34260651353904076	0.9193944747812398' '' \
  g exp --at '0.11348391 0.876214' --direction '-0.57900225 -0.81532595' --length 4.64915
expect 0 '-0.1266478338863249	0.7660318086892892' '*outside the domain of Theorem 1*' \
  g exp --at '0.11348391 0.876214' --direction '-0.57900225 -0.81532595' --length 4.64915 --method theorem1
expect 0 '*' '' g exp --at '0.1 0.8' --direction '-1 -1.4' --length 4 --method theorem1 --quiet
expect 0 '{"point": [0.46211715726000974, 0], "theorem1_holds": true}' '' \
  g exp --at '0 0' --tangent '0.5 0' --method theorem1 --json

# Other models, there and back.
expect 0 '1.6666666666666667	1.3333333333333333	0' '' g convert --to lorentz --at '0.5 0'
expect 0 '0.5	0' '' g convert --from lorentz --at '1.6666666666666667 1.3333333333333333 0'
expect 0 '0.8	0' '' g convert --to klein --at '0.5 0'
expect 0 '0.5	0' '' g convert --from klein --to ball --at '0.8 0'
expect 0 '0	3' '' g convert --to halfspace --at '0 0.5'
expect 0 '0	0.5' '' g convert --from halfspace --at '0 3'
expect 0 '0.8	0' '' g convert --from lorentz --to klein --at '1.6666666666666667 1.3333333333333333 0'
expect 1 '' '*not a point of the model*halfspace*' g convert --from halfspace --at '0 -1'
expect 1 '' '*not a point of the model*klein*' g convert --from klein --at '0 1'
expect 1 '' '*not a point of the model*lorentz*' g convert --from lorentz --at '-1 0'

# JSON.
expect 0 '{"distance": 1.0986122886681098}' '' g distance --at '0 0' --to '0.5 0' --json
expect 0 '{"tangent": [0.5493061443340549, 0]}' '' g log --at '0 0' --to '0.5 0' --json

# Rows: tabs or blanks, comments, CRLF, no newline at the end; vectors given by options stay out of the rows.
expect 0 "1.0986122886681098${newline}0" '' from_text '# two rows\n0 0 0.5 0\r\n\n0\t0\t0\t0' distance -
expect 0 "1.0986122886681098${newline}0" '' from_text '  0.5   0 \n0 0\n' distance --at '0 0' -
expect 0 "1.0986122886681098${newline}0" '' from_text '0.5 0\n0 0\n' distance --to '0 0' -
printf '0.5\n-0.5\n' >rows.txt
expect 0 "1.0986122886681098${newline}1.0986122886681098" '' g distance --at 0 rows.txt

# Refusals.
expect 1 '' '*standard input: row 2, column 3:*0.1x*' from_text '# c\n0 0 0.1x 0\n' distance -
expect 1 '1.0986122886681098' '*row 2, column 2:*inf*' from_text '0 0 0.5 0\n0 inf 0 0\n' distance -
expect 1 '' '*row 1, column 2:*nan*' from_text '0 nan 0 0\n' distance -
expect 1 '' '*row 1, column 2:*0,5*' from_text '0 0,5\n' distance -
expect 1 '' "*row 1, column 2: ''*" from_text '0\t\t0\t0\n' distance -
expect 1 '' "*row 1, column 3: ''*" from_text '0\t0\t\n' distance -
expect 1 '' '*row 1: 3 columns*' from_text '0 0 0\n' distance -
expect 1 '0' '*row 2: 2 columns, expected 4*' from_text '0 0 0 0\n0 0\n' distance -
expect 1 '' '*row 1: *NUL*' from_text '0 \0000 0\n' distance -
expect 1 '0' "*row 2: the point 'to' lies on or outside*" from_text '0 0\n1 0\n' distance --at '0 0' -
expect 1 '' "*the point 'at' lies on or outside*" g exp --at '0 2' --tangent '0 1'
expect 1 '' "*the point 'at' lies on or outside*" g norm --at 1 --tangent 1
expect 1 '' "*the point 'to' lies on or outside*" g hessian --at 0 --to 1 --tangent 1
expect 1 '' '*direction is zero*' g exp --at '0 0.5' --direction '0 0' --length 1
expect 1 '' '*no rows*' from_text '# nothing\n' distance -
expect 1 '' '*missing.txt: No such file*' g distance missing.txt
expect 1 '' '*.: Is a directory*' g distance .
expect 2 '' "*--at, column 2: 'x'*" g distance --at '0 x' --to '0 0'
expect 2 '' '*--to has 1*' g distance --at '0 0' --to 0
expect 2 '' '*give --to*' g distance --at '0 0'
expect 2 '' '*rows.txt*' g distance --at 0 --to 0 rows.txt
expect 2 '' '*--direction needs --length*' g exp --at 0 --direction 1
expect 2 '' '*exclude each other*' g exp --at 0 --direction 1 --tangent 1 --length 1
expect 2 '' '*--radius must be > 0*' g distance --at 0 --to 0 --radius 0
expect 2 '' '*--curvature must be > 0*' g distance --at 0 --to 0 --curvature -1
expect 2 '' '*--length must not be negative*' g exp --at 0 --direction 1 --length -1
expect 2 '' '*too few numbers*' g convert --from lorentz --at 1

finish
