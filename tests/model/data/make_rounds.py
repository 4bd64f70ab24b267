#!/usr/bin/env python3
"""Writes rounds.csv: the rounds of a superstep after the first, and their variance, to 17 digits.

Sums 1 - (1-f^i)^c over i >= 1 with 60 digits, until the rest is below 1e-25 of the sum. Where that takes more
than 30 000 terms, the sum is taken by its exact alternating form (whole c up to 100) or by Poisson
summation (c of 1000 and more), and there is no variance. Needs mpmath; takes some minutes.
"""
from mpmath import mp, mpf, log, exp, gamma, harmonic, binomial, pi, mpc, loggamma, log1p, expm1

mp.dps = 60
LOSSES = [1e-9, 1e-6, 1e-3, 0.01, 0.045, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
COPIES = [1, 2, 5, 16]
PACKETS = [1.0, 1.5849625007211562, 2.0, 10.0, 47.0, 1000.0, 1e6, 1e12, 1e18]


def summed(f, c):
    first = second = mpf(0)
    power = mpf(1)
    i = 0
    while True:
        i += 1
        power *= f
        term = -expm1(c * log1p(-power))
        first += term
        second += (2 * i - 1) * term
        if i * c * power / (1 - f) ** 2 < mpf(10) ** -25 * first:
            return first, second - first * first


def alternating(f, c):
    with mp.workdps(200):
        return sum((-1) ** (j + 1) * binomial(c, j) * f**j / (1 - f**j) for j in range(1, int(c) + 1))


def poisson(f, c):
    rate = -log(f)
    wave = 0
    for j in range(1, 4):
        s = mpc(0, 2 * pi * j / rate)
        wave += exp(loggamma(c + 1) + loggamma(s) - loggamma(c + 1 + s)).real
    return harmonic(c) / rate - mpf(1) / 2 - 2 * wave / rate


print("scheme,loss,copies,packets,rounds_minus_one,variance")
for p in LOSSES:
    for k in COPIES:
        u = mpf(p) ** k
        for scheme, f in (("rounds", u * (2 - u)), ("receiver", u)):
            for packets in PACKETS:
                c = mpf(packets)
                variance = None
                if (log(c) + 60) / -log(f) < 30000:
                    extra, variance = summed(f, c)
                elif packets == int(packets) and packets <= 100:
                    extra = alternating(f, c)
                elif packets >= 1000:
                    extra = poisson(f, c)
                else:
                    continue
                spread = "" if variance is None else mp.nstr(variance, 17)
                print(f"{scheme},{p!r},{k},{packets!r},{mp.nstr(extra, 17)},{spread}")
