// SPDX-License-Identifier: Apache-2.0
/*
 * C++ with much inlining, from templates, lambdas, local and nested classes: tests/live compile it in
 * every way that debug information is written in, and ask for the lines of all its addresses.
 */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace shapes
{
struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

template <typename Number> struct square : shape {
	Number side;
	explicit square(Number s) : side(s)
	{
	}
	double area() const override
	{
		return static_cast<double>(side) * static_cast<double>(side);
	}
};

namespace
{
template <int N> struct power {
	static double of(double x)
	{
		return x * power<N - 1>::of(x);
	}
};
template <> struct power<0> {
	static double of(double)
	{
		return 1;
	}
};
} // namespace

double sum(const std::vector<std::unique_ptr<shape>> &all)
{
	return std::accumulate(all.begin(), all.end(), 0.0,
			       [](double so_far, const auto &one) { return so_far + one->area(); });
}
} // namespace shapes

template <typename Key> static size_t count(const std::vector<Key> &words)
{
	std::map<Key, size_t> ordered;
	std::unordered_map<Key, size_t> hashed;

	for (const auto &word : words) {
		ordered[word]++;
		hashed[word]++;
	}
	return std::count_if(ordered.begin(), ordered.end(), [&hashed](const auto &pair) {
		return hashed.at(pair.first) == pair.second && pair.second > 1;
	});
}

static double with_local_class(double x)
{
	struct helper {
		double x;
		double twice() const
		{
			return shapes::power<5>::of(x) + shapes::power<3>::of(x);
		}
	};
	std::function<double(double)> call = [](double y) { return helper{ y }.twice(); };

	return call(x) + helper{ x }.twice();
}

static long parse(const std::string &text)
{
	try {
		return std::stol(text);
	} catch (const std::invalid_argument &) {
		return -1;
	}
}

int main(int argc, char **argv)
{
	std::vector<std::string> words(argv, argv + argc);
	std::vector<std::unique_ptr<shapes::shape>> all;
	std::vector<long> numbers;

	for (const auto &word : words)
		numbers.push_back(parse(word));
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) { return a % 7 < b % 7; });
	for (long number : numbers) {
		all.push_back(std::make_unique<shapes::square<int>>(static_cast<int>(number)));
		all.push_back(std::make_unique<shapes::square<double>>(number / 2.0));
	}
	std::printf("%g %zu %zu %g\n", shapes::sum(all), count(words), count(numbers),
		    with_local_class(argc));
	return 0;
}
