"""Generation as LAVIS gets it: the search sees one begin token, since the prompt comes as embeddings.

Written from the definition: scores are sums of log-probabilities; a text that ends is worth its score divided by
length ** length_penalty, where the length counts the begin token and not the end token; the repetition penalty covers
the begin token and the new ones; lengths given as limits count the begin token.
"""

import torch


def lavis_generate(next_logits, settings, begin, end):
    """New tokens, end token included where there is room for it.

    `next_logits(tokens)` gives logits [V] after the prompt and these new tokens. `settings`: num_beams, max_length,
    min_length, length_penalty, repetition_penalty.
    """
    search = greedy if settings["num_beams"] == 1 else beam_search
    return search(next_logits, settings, begin, end)


def greedy(next_logits, settings, begin, end):
    sequence = [begin]
    while len(sequence) < settings["max_length"]:
        scores = processed(next_logits(sequence[1:]).clone(), sequence, settings, end)
        sequence.append(int(scores.argmax()))
        if sequence[-1] == end:
            break
    return sequence[1:]


def beam_search(next_logits, settings, begin, end):
    beams = settings["num_beams"]
    open_beams = [(0.0, [begin])] + [(-1e9, [begin])] * (beams - 1)
    finished = []
    done = False
    while not done and len(open_beams[0][1]) < settings["max_length"]:
        scores = torch.stack([
            processed(next_logits(sequence[1:]).log_softmax(-1), sequence, settings, end) + score
            for score, sequence in open_beams
        ])
        best, places = scores.flatten().topk(2 * beams)
        following = []
        for rank, (score, place) in enumerate(zip(best.tolist(), places.tolist())):
            parent, token = divmod(place, scores.shape[1])
            sequence = open_beams[parent][1]
            if token == end:
                if rank < beams:
                    finish(finished, score, sequence, settings)
            else:
                following.append((score, sequence + [token]))
            if len(following) == beams:
                break
        open_beams = following
        hope = float(best.max()) / len(open_beams[0][1]) ** settings["length_penalty"]
        done = len(finished) == beams and min(finished)[0] >= hope
    if not done:
        for score, sequence in open_beams:
            finish(finished, score, sequence, settings)
    best_sequence = max(finished)[1]
    has_room = len(best_sequence) < settings["max_length"]
    return best_sequence[1:] + ([end] if has_room else [])


def finish(finished, score, sequence, settings):
    """Adds a text if there is a free place or it is better than the worst, whose place it takes."""
    text = (score / len(sequence) ** settings["length_penalty"], sequence)
    if len(finished) < settings["num_beams"]:
        finished.append(text)
    elif text[0] > min(finished)[0]:
        finished.remove(min(finished))
        finished.append(text)


def processed(scores, sequence, settings, end):
    """The repetition penalty, then the minimal length."""
    penalty = settings["repetition_penalty"]
    for token in set(sequence):
        scores[token] = scores[token] * penalty if scores[token] < 0 else scores[token] / penalty
    if len(sequence) < settings["min_length"]:
        scores[end] = -torch.inf
    return scores
