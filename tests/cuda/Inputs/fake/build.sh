#!/bin/sh
# build.sh OUTPUT: the fake libcuda.so.1.
set -e
folder=$(dirname "$0")
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
for file in driver parse execute block memory warp; do
  clang++ -std=c++17 -O2 -fPIC -Wall -c "$folder/$file.cpp" -o "$parts/$file.o" &
done
wait
clang++ -shared -o "$1" "$parts"/*.o
