"""
The rules of four card games, written a second time to compare with packages/gym-cards. Only Python's standard library.

    python tools/reference/gym_cards_rules.py walks --seeds 0:100     # a JSON line for each game, with and without compat
    python tools/reference/gym_cards_rules.py walks --seeds 5:6 --transitions --only gym_cards/Blackjack-v0
    python tools/reference/gym_cards_rules.py formulas --count 150    # [tokens, worth exactly, worth to Python's eval]
    python tools/reference/gym_cards_rules.py figures                 # exact figures of random play

`walks` plays each game once for every seed, half sensibly and half at random, and prints the SHA-256 of all transitions, each
a JSON list [action, reward, terminated, truncated, facts] on a line of its own, that of the deal with null for the action.
walks.jsonl and formulas.jsonl in packages/gym-cards/fixtures are what the first and the third print. In formulas, "other" is a
complex number, a tuple, or 2**53 and more.
"""

import argparse
import hashlib
import json
import warnings
from fractions import Fraction
from functools import lru_cache

MASK32, MASK64, MASK128 = 2**32 - 1, 2**64 - 1, 2**128 - 1


class Generator:
    """numpy.random.default_rng(seed): PCG64 seeded by SeedSequence, bounded integers after Lemire."""

    def __init__(self, seed):
        words = []
        while seed or not words:
            words.append(seed & MASK32)
            seed >>= 32
        low = [self._seed_words(words, place) for place in range(4)]
        start, stream = (low[0] << 64) | low[1], (low[2] << 64) | low[3]
        self.increment = ((stream << 1) | 1) & MASK128
        self.value = 0
        self._advance()
        self.value = (self.value + start) & MASK128
        self._advance()
        self.kept = None

    @staticmethod
    def _seed_words(entropy, place):
        multiplier = [0x43B0D7E5]

        def hashed(word):
            word ^= multiplier[0]
            multiplier[0] = multiplier[0] * 0x931E8875 & MASK32
            word = word * multiplier[0] & MASK32
            return word ^ word >> 16

        def mixed(left, right):
            word = (0xCA01F9DD * left - 0x4973F715 * right) & MASK32
            return word ^ word >> 16

        pool = [hashed(entropy[i] if i < len(entropy) else 0) for i in range(4)]
        for source in range(4):
            for target in range(4):
                if source != target:
                    pool[target] = mixed(pool[target], hashed(pool[source]))
        for word in entropy[4:]:
            for target in range(4):
                pool[target] = mixed(pool[target], hashed(word))
        factor, out = 0x8B51F9DD, []
        for i in range(8):
            word = pool[i % 4] ^ factor
            factor = factor * 0x58F38DED & MASK32
            word = word * factor & MASK32
            out.append(word ^ word >> 16)
        return out[2 * place] | out[2 * place + 1] << 32

    def _advance(self):
        multiplier = (2549297995355413924 << 64) + 4865540595714422341
        self.value = (self.value * multiplier + self.increment) & MASK128

    def bits64(self):
        self._advance()
        word, turn = (self.value >> 64) ^ (self.value & MASK64), self.value >> 122
        return (word >> turn | word << (64 - turn)) & MASK64 if turn else word

    def bits32(self):
        if self.kept is not None:
            word, self.kept = self.kept, None
            return word
        word = self.bits64()
        self.kept = word >> 32
        return word & MASK32

    def integers(self, low, high):
        count = high - low
        if count == 1:
            return low
        product = self.bits32() * count
        if product & MASK32 < count:
            while product & MASK32 < (2**32 - count) % count:
                product = self.bits32() * count
        return low + (product >> 32)

    def random(self):
        return (self.bits64() >> 11) * 2.0**-53


def evaluated_by_python(formula):
    return evaluated("".join(map(str, formula)))


def evaluated_exactly(formula):
    """Python's own arithmetic on fractions, with a blank between all tokens so that none run together."""
    return evaluated(" ".join(f"Fraction({token})" if isinstance(token, int) else token for token in formula).strip())


def evaluated(text):
    try:
        return eval(text, {"Fraction": Fraction, "__builtins__": {}})
    except Exception:
        return None


class NumberLine:
    name = "gym_cards/NumberLine-v0"
    actions = ["-", "+"]

    def __init__(self, compat):
        pass

    def deal(self, draws):
        self.here, self.goal, self.count = draws.integers(0, 6), draws.integers(0, 6), 0
        if self.here == self.goal:
            self.goal = (self.goal + 1) % 5

    def act(self, action, draws):
        before = abs(self.goal - self.here)
        self.here = min(5, max(0, self.here + (1 if action else -1)))
        self.count += 1
        after = abs(self.goal - self.here)
        if after == 0:
            return 1, True, False
        return (0 if after < before else -1), False, self.count >= 10

    def facts(self):
        return {"Target": self.goal, "Current": self.here}

    def sensible(self, draws):
        return int(self.here < self.goal)


class Points:
    def __init__(self, compat):
        self.compat = compat
        self.tokens = list(range(1, 11)) + self.operators
        self.actions = [str(token) for token in self.tokens]

    def act(self, action, draws):
        token = self.tokens[action]
        if len(self.formula) >= self.full:
            return -1, False, True
        if isinstance(token, int):
            if token in self.left():
                self.formula.append(token)
                return 0, False, False
            self.formula.append(" ")
            return -1, False, False
        if token != "=":
            self.formula.append(token)
            return 0, False, False
        wins = not self.left() and self.worth() == self.goal
        return (10 if wins else -1), True, False

    def left(self):
        rest = list(self.numbers)
        for token in self.formula:
            if isinstance(token, int):
                rest.remove(token)
        return rest

    def worth(self):
        return evaluated_by_python(self.formula) if self.compat else evaluated_exactly(self.formula)

    def facts(self):
        return {"Cards": self.cards, "Numbers": self.numbers, "Formula": list(self.formula)}

    def sensible(self, draws):
        last, rest = (self.formula or [" "])[-1], self.left()
        if not isinstance(last, int) and last != ")" and rest:
            return rest[draws.integers(0, len(rest))] - 1
        if rest:
            return 10 + draws.integers(0, len(self.operators) - 1)
        return len(self.tokens) - 1

    @staticmethod
    def card(draws, rank):
        return "HSDC"[draws.integers(0, 4)] + "A23456789TJQK"[rank - 1]


class EZPoints(Points):
    name, goal, full, operators = "gym_cards/EZPoints-v0", 12, 6, ["+", "*", "="]

    def deal(self, draws):
        rank = draws.integers(2, 14)
        card, value = self.card(draws, rank), min(rank, 10)
        multiplies = value in (2, 3, 4, 6) and draws.random() <= 0.5
        other = 12 // value if multiplies else 12 - value
        self.cards, self.numbers, self.formula = [card, self.card(draws, other)], [value, other], []
        if draws.random() <= 0.5:
            self.cards.reverse()
            self.numbers.reverse()


class Points24(Points):
    name, goal, full, operators = "gym_cards/Points24-v0", 24, 21, ["+", "-", "*", "/", "(", ")", "="]

    def deal(self, draws):
        ranks = [draws.integers(1, 14) for _ in range(4)]
        self.cards = [self.card(draws, rank) for rank in ranks]
        self.numbers, self.formula = [min(rank, 10) for rank in ranks], []


class Blackjack:
    name = "gym_cards/Blackjack-v0"
    actions = ["stand", "hit"]

    def __init__(self, compat):
        self.compat = compat

    def draw(self, draws):
        value, suit = min(draws.integers(1, 14), 10), "CDHS"[draws.integers(0, 4)]
        face = "JQK"[draws.integers(0, 3)] if value == 10 else "A" if value == 1 else str(value)
        return [value, face, suit]

    def deal(self, draws):
        self.dealer = [self.draw(draws), self.draw(draws)]
        self.player = [self.draw(draws), self.draw(draws)]
        draws.integers(0, 4)
        if self.dealer[0][0] == 10:
            draws.integers(0, 3)

    @staticmethod
    def total(hand):
        plain = sum(card[0] for card in hand)
        return plain + 10 if plain <= 11 and any(card[0] == 1 for card in hand) else plain

    def act(self, action, draws):
        if action == 1:
            self.player.append(self.draw(draws))
            busts = self.total(self.player) > 21
            return (-1 if busts else 0), busts, False
        while self.total(self.dealer) < 17:
            self.dealer.append(self.draw(draws))
        mine, theirs = (total if total <= 21 else 0 for total in map(self.total, (self.player, self.dealer)))
        return (mine > theirs) - (mine < theirs), True, False

    def facts(self):
        if self.compat:
            return {"Dealer Card": self.dealer, "Player Card": self.player}
        return {"Dealer Card": self.dealer[:1], "Player Card": self.player, "private": {"Dealer Card": self.dealer}}

    def sensible(self, draws):
        return int(self.total(self.player) < 17)


GAMES = [NumberLine, EZPoints, Points24, Blackjack]


def transitions(make, compat, seed):
    game, draws, whims = make(compat), Generator(seed), Generator(1_000_000 + seed)
    game.deal(draws)
    yield [None, 0, False, False, game.facts()]
    ended = False
    while not ended:
        if whims.integers(0, 4) < 3:
            action = game.sensible(whims)
        else:
            action = whims.integers(0, len(game.actions))
        reward, terminated, truncated = game.act(action, draws)
        ended = terminated or truncated
        yield [action, reward, terminated, truncated, game.facts()]


def walks(seeds, only, shows_transitions):
    for make in GAMES:
        if only not in (None, make.name):
            continue
        for compat in (False, True):
            digest, count, won = hashlib.sha256(), 0, 0
            for seed in seeds:
                for transition in transitions(make, compat, seed):
                    line = json.dumps(transition, separators=(",", ":"))
                    if shows_transitions:
                        print(line)
                    digest.update((line + "\n").encode())
                    count += 1
                    won += transition[1] > 0
            print(json.dumps({"id": make.name, "compat": compat, "transitions": count, "won": won, "sha256": digest.hexdigest()}))


def formulas(count):
    """Formulas of four numbers, most of them well formed, with what they are worth: [tokens, exactly, by Python]."""
    draws = Generator(24)
    joints = ["+", "-", "*", "/", "+", "-", "*", "/", "**", "//", "", " ", "+-", "*-"]
    while count > 0:
        tokens, opened = [], draws.integers(0, 4)
        closed = draws.integers(opened, 4)
        for place in range(4):
            tokens += ["("] * (place == opened) + [1 + draws.integers(0, 10)] + [")"] * (place == closed)
            if place < 3:
                tokens += list(joints[draws.integers(0, len(joints))])
        # towers of powers may take hours
        if "".join(map(str, tokens)).count("**") > 1:
            continue
        exact, value = evaluated_exactly(tokens), evaluated_by_python(tokens)
        numeric = value if isinstance(value, (int, float)) and abs(value) < 2**53 else None
        print(json.dumps([tokens, None if exact is None else str(exact), numeric if value is None or numeric is not None else "other"]))
        count -= 1


def random_play_of_number_line():
    """Share of returns above 0, mean return, mean length, by following both actions from every deal."""

    @lru_cache(None)
    def follow(here, goal, count, soFar):
        total = [Fraction(0)] * 3
        for action in (0, 1):
            game = NumberLine(False)
            game.here, game.goal, game.count = here, goal, count
            reward, terminated, truncated = game.act(action, None)
            if terminated or truncated:
                rest = (Fraction(soFar + reward > 0), Fraction(0), Fraction(0))
            else:
                rest = follow(game.here, goal, game.count, soFar + reward)
            for place, value in enumerate((rest[0], rest[1] + reward, rest[2] + 1)):
                total[place] += value / 2
        return tuple(total)

    pairs = [(here, goal if goal != here else (goal + 1) % 5) for here in range(6) for goal in range(6)]
    return [sum(follow(*pair, 0, 0)[place] for pair in pairs) / 36 for place in range(3)]


def random_play_of_ez_points():
    """The same for EZPoints, over the seven pairs that it deals and how often."""
    chances = {(2, 10): 9, (5, 7): 4, (4, 8): 3, (3, 9): 3, (2, 6): 2, (3, 4): 2, (6, 6): 1}

    def follow(numbers, formula, soFar):
        total = [Fraction(0)] * 3
        outcomes = {}
        for action in range(13):
            game = EZPoints(False)
            game.numbers, game.cards, game.formula = list(numbers), ["", ""], list(formula)
            reward, terminated, truncated = game.act(action, None)
            key = (reward, terminated or truncated, tuple(game.formula))
            outcomes[key] = outcomes.get(key, 0) + 1
        for (reward, ended, written), count in outcomes.items():
            if ended:
                rest = (Fraction(soFar + reward > 0), Fraction(0), Fraction(0))
            else:
                rest = follow(numbers, written, soFar + reward)
            for place, value in enumerate((rest[0], rest[1] + reward, rest[2] + 1)):
                total[place] += value * count / 13
        return total

    all_pairs = [(follow(pair, (), 0), Fraction(count, 24)) for pair, count in chances.items()]
    return [sum(figures[place] * chance for figures, chance in all_pairs) for place in range(3)]


def main():
    warnings.simplefilter("ignore")  # of eval, about formulas that call a number
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["walks", "formulas", "figures"])
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--only")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--transitions", action="store_true")
    given = parser.parse_args()
    if given.what == "walks":
        first, end = map(int, given.seeds.split(":"))
        walks(range(first, end), given.only, given.transitions)
    elif given.what == "formulas":
        formulas(given.count)
    else:
        for name, figures in (("NumberLine", random_play_of_number_line()), ("EZPoints", random_play_of_ez_points())):
            print(json.dumps({"game": name, **dict(zip(("success", "meanReturn", "meanLength"), map(float, figures)))}))


main()
