"""A room, and what the controller says in it.

A game is a `traj_data.json` with `task_type` and `pddl_params` as in ALFRED, and beside them

    "room": [{"name": "fridge 1", "openable": true, "objects": ["egg 1"]}, …]
    "fails_at": 3       # the simulator breaks at this command; left out for none

Names are numbered upwards, in the order in which an agent that looks around finds them.
"""

NOTHING = "Nothing happens."

# in the order in which they are looked for; `move` came with 0.5.0
VERBS = (
    "go to ", "take ", "put ", "open ", "close ", "use ", "heat ", "cool ", "clean ", "inventory", "examine ", "look"
)


class SimulatorBroke(Exception):
    pass


class Room:
    def __init__(self, game: dict):
        self.task_type = game["task_type"]
        self.wanted = {name: str(value).lower() for name, value in game["pddl_params"].items()}
        self.names = [each["name"] for each in game["room"]]
        self.closed = {each["name"]: True for each in game["room"] if each.get("openable")}
        self.contents = {each["name"]: list(each["objects"]) for each in game["room"]}
        self.fails_at = game.get("fails_at")
        self.at = None
        self.held = None
        self.visible = []
        self.lit = False
        self.states = set()
        self.steps = 0
        self.feedback = self.intro()

    def intro(self) -> str:
        """No full stop behind the task, unlike the text games."""
        return (
            "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, "
            f"you see {listed(self.names)}.\n\nYour task is to: {self.goal()}"
        )

    def goal(self) -> str:
        thing, place, lamp = (self.wanted[f"{each}_target"] for each in ("object", "parent", "toggle"))
        return {
            "pick_and_place_simple": f"put a {thing} in {place}",
            "look_at_obj_in_light": f"look at {thing} under the {lamp}",
            "pick_clean_then_place_in_recep": f"put a clean {thing} in {place}",
            "pick_heat_then_place_in_recep": f"put a hot {thing} in {place}",
            "pick_cool_then_place_in_recep": f"put a cool {thing} in {place}",
            "pick_two_obj_and_place": f"put two {thing} in {place}",
        }[self.task_type]

    def won(self) -> bool:
        thing, place = self.wanted["object_target"], self.wanted["parent_target"]
        if self.task_type == "look_at_obj_in_light":
            return self.lit and self.held is not None and of_class(self.held, thing)
        state = {"clean": "clean", "heat": "hot", "cool": "cool"}.get(self.task_type.split("_")[1])
        count = 2 if self.task_type == "pick_two_obj_and_place" else 1
        good = lambda each: of_class(each, thing) and (state is None or (state, each) in self.states)
        return any(
            len([each for each in objects if good(each)]) >= count
            for name, objects in self.contents.items()
            if of_class(name, place)
        )

    def step(self, command: str) -> str:
        """A command is known by what it contains, and whatever goes wrong with it reads alike."""
        self.steps += 1
        if self.steps == self.fails_at:
            raise SimulatorBroke("the connection to the simulator was lost")
        said = command.lower().strip()
        verb = next((each for each in VERBS if each in said), None)
        words = said.replace(verb or "", "").split()
        method = getattr(self, f"do_{(verb or 'nothing').strip().replace(' ', '_')}")
        try:
            self.feedback = method(words) or NOTHING
        except (KeyError, IndexError, ValueError):
            self.feedback = NOTHING
        return self.feedback

    def do_nothing(self, _words):
        return NOTHING

    def do_go_to(self, words):
        place = " ".join(words)
        if place == self.at or place not in self.contents:
            return NOTHING
        self.at = place
        arrived = f"You arrive at loc {self.names.index(place)}. "
        self.visible = [] if self.closed.get(place) else list(self.contents[place])
        if place not in self.closed:
            return arrived + self.on(place)
        if self.closed[place]:
            return f"{arrived}The {place} is closed. "
        return f"{arrived}The {place} is open. {self.on(place)}"

    def on(self, place: str) -> str:
        return f"On the {place}, you see {listed(self.visible) or 'nothing'}."

    def do_take(self, words):
        thing, place = " ".join(words[:2]), " ".join(words[-2:])
        if thing not in self.visible or self.held:
            return NOTHING
        self.contents[self.at].remove(thing)
        self.visible.remove(thing)
        self.held = thing
        return f"You pick up the {thing} from the {place}."

    def do_put(self, words):
        """Its own word is repeated, and whatever is held is put."""
        relation, place = words[2], " ".join(words[-2:])
        if not self.held or self.closed.get(place):
            return NOTHING
        self.contents[place].append(self.held)
        self.held = None
        return f"You put the {' '.join(words[:2])} {relation} the {place}."

    def do_open(self, words):
        place = " ".join(words)
        if place not in self.closed:
            return NOTHING
        self.closed[place] = False
        self.visible = list(self.contents[place])
        return f"You open the {place}. The {place} is open. In it, you see {listed(self.visible) or 'nothing'}."

    def do_close(self, words):
        place = " ".join(words)
        if place not in self.closed:
            return NOTHING
        self.closed[place] = True
        return f"You close the {place}."

    def do_use(self, words):
        thing = " ".join(words)
        if thing not in self.visible:
            return NOTHING
        self.lit = True
        return f"You turn on the {thing}."

    def do_heat(self, words):
        return self.treated(words, "heat", "hot")

    def do_cool(self, words):
        return self.treated(words, "cool", "cool")

    def do_clean(self, words):
        return self.treated(words, "clean", "clean")

    def treated(self, words, verb: str, state: str):
        thing, place = " ".join(words[:2]), " ".join(words[-2:])
        if not self.held or place != self.at:
            return NOTHING
        self.states.add((state, self.held))
        return f"You {verb} the {thing} using the {place}."

    def do_inventory(self, _words):
        return f"You are carrying: a {self.held}" if self.held else "You are not carrying anything."

    def do_examine(self, words):
        """A receptacle from anywhere, with what is seen here; things are all normal."""
        name = " ".join(words)
        return self.on(name) if name in self.contents else f"This is a normal {name}"

    def do_look(self, _words):
        if self.at is None:
            return "You are in the middle of a room. Looking quickly around you, you see nothing."
        return f"You are facing the {self.at}. Next to it, you see nothing."

    def admissible(self):
        """A guess, as in 0.4.2: it says `move`, which is not taken, and leaves out what is."""
        here = [f"move {self.held} to {self.at}"] if self.held and self.at else []
        return [f"go to {each}" for each in self.names if each != self.at] + here + ["inventory", "look", "help"]


def of_class(name: str, kind: str) -> bool:
    return name.rsplit(" ", 1)[0] == kind


def listed(names) -> str:
    """`a mug 1, and a pen 2`."""
    each = [f"a {name}" for name in names]
    return ", and ".join([", ".join(each[:-1]), each[-1]]) if len(each) > 1 else "".join(each)
