float value_of_one();
float value_of_two();

int main() { return value_of_one() == 1 && value_of_two() == 2 ? 0 : 1; }
