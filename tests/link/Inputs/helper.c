float helper(float x) { return 3 * x; }
