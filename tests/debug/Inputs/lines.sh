# Checks that each file of PROGRAM.debug has code at the line of its last structured operation, or after it.
set -e
llvm-dwarfdump --debug-line "$1.so" >lines
for file in "$1".debug/*.mlir; do
  line=$(grep -nE 'linalg\.(conv|pooling|tanh|softmax|reduce|generic)' "$file" | tail -1 | cut -d: -f1)
  awk -v name="name: \"$(basename "$file")\"" -v line="$line" '
    /^debug_line/ { on = 0 }
    index($0, name) { on = 1 }
    on && $1 ~ /^0x0/ && $2 >= line { found = 1 }
    END { exit !found }' lines || { echo "$file: no code at line $line or after it"; exit 1; }
done
