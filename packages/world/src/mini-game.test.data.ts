/**
 * A game small enough to play in one's head, in the syntax of the real files. The room: shelf A and crate C
 * (openable) share the place loc_1, shelf B stands at loc_2, the agent starts at loc_0. Two balls lie on shelf
 * A; the lamp stands on shelf A and on shelf B at once; a third ball is in the crate. Goal: two balls on shelf B.
 */
const domain = `
(define (domain mini) ; a comment
 (:requirements :adl :typing)
 (:types agent location receptacle object rtype)
 (:predicates (atLocation ?a - agent ?l - location) (receptacleAtLocation ?r - receptacle ?l - location)
   (objectAtLocation ?o - object ?l - location) (inReceptacle ?o - object ?r - receptacle)
   (openable ?r - receptacle) (opened ?r - receptacle) (receptacleType ?r - receptacle ?t - rtype)
   (holds ?a - agent ?o - object) (holdsAny ?a - agent) (isOn ?o - object) (toggleable ?o - object)
   (checked ?x - object))
 (:functions (total-cost) - number)
 (:action Look :parameters (?a - agent ?l - location) :precondition (atLocation ?a ?l) :effect (checked ?l))
 (:action Wait :parameters (?a - agent) :precondition () :effect (checked ?a))
 (:action Go :parameters (?a - agent ?from - location ?to - location ?r - receptacle)
   :precondition (and (atLocation ?a ?from) (receptacleAtLocation ?r ?to))
   :effect (and (not (atLocation ?a ?from)) (atLocation ?a ?to) (increase (total-cost) 1)))
 (:action Open :parameters (?a - agent ?l - location ?r - receptacle)
   :precondition (and (openable ?r) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (not (opened ?r)))
   :effect (and (opened ?r)))
 (:action Take :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
   :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r)
     (not (holdsAny ?a)) (not (toggleable ?o)) (imply (openable ?r) (opened ?r)))
   :effect (and (not (inReceptacle ?o ?r)) (holds ?a ?o) (holdsAny ?a) (not (objectAtLocation ?o ?l))))
 (:action Put :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
   :precondition (and (holds ?a ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
     (or (not (openable ?r)) (opened ?r)) (exists (?t - rtype) (receptacleType ?r ?t)))
   :effect (and (inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o)) (not (holdsAny ?a))))
 (:action ExamineObject :parameters (?a - agent ?o - object)
   :precondition (or (exists (?l - location, ?r - receptacle)
       (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r)))
     (holds ?a ?o))
   :effect (checked ?o))
 (:action Toggle :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
   :precondition (and (toggleable ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r))
   :effect (and (when (isOn ?o) (not (isOn ?o))) (when (not (isOn ?o)) (isOn ?o))))
 (:action Unsaid :parameters (?a - agent) :precondition () :effect (checked ?a)))`;

const grammar = `
# a comment
grammar :: """{
  "intro": [{"rhs": "  Welcome.\\n\\n#look.feedback#\\n\\n#task#"}],
  "task": [{"rhs": "Your task is to: put two balls on shelf b."}],
  "look.feedback": [
    {"condition": "atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)",
     "rhs": "You are facing the [{r.name | atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)}]. Next to it, you see #floor#."},
    {"rhs": "Around you: [{#overview(r)# | receptacleatlocation(r:receptacle, l:location)}]."}],
  "floor": [{"rhs": "[{o | atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)}]"}],
  "overview(r)": [{"rhs": "{r.indefinite} {r.name or r.id}"}],
  "contents": [
    {"condition": "openable(r:receptacle) & opened(r:receptacle)", "rhs": "In it: [{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]."},
    {"condition": "openable(r:receptacle)", "rhs": "The {r} is closed."},
    {"rhs": "On it: [{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]."}],
  "list_empty": [{"rhs": "nothing"}],
  "list_separator": [{"rhs": ", "}],
  "list_last_separator": [{"rhs": ", and "}],
  "broken": [{"rhs": "never seen { (unreadable)"}]
}""";
action Look { template :: "look"; feedback :: "#look.feedback#"; }
action Wait { template :: "wait"; feedback :: "
  Time passes.
"; }
action Go { template :: "go to [{r.name | receptacleatlocation(r:receptacle, to:location)}]"; feedback :: "You reach {r}. #contents#"; }
action Open { template :: "open {r}"; feedback :: "You open the {r.name}. #contents#"; }
action Take { template :: "take {o} from {r}"; feedback :: "Taken{unknown ?"; }
action Put { template :: "put {o} on {r}"; feedback :: "#put.feedback#";
  grammar :: """{"put.feedback": [{"rhs": "{o} is on {r}."}]}"""; }
action ExamineObject { template :: "examine {o}"; feedback :: "A {o}."; }
action Toggle { template :: "use {o}"; feedback :: "#lamp#";
  grammar :: """{"lamp": [{"condition": "ison(o:object)", "rhs": "On."}, {"rhs": "Off."}]}"""; }
`;

const problem = `
(define (problem mini_problem) (:domain mini)
 (:objects agent1 - agent Ball - object Ball_bar_1 Ball_bar_2 Ball_bar_3 Lamp_bar_1 - object
   Shelf_bar_a Shelf_bar_b Crate_bar_1_bar_Basin - receptacle ShelfType CrateType - rtype
   loc_bar_0 loc_bar_1 loc_bar_2 - location)
 (:init (atLocation agent1 loc_bar_0)
   (receptacleAtLocation Shelf_bar_a loc_bar_1) (receptacleAtLocation Crate_bar_1_bar_Basin loc_bar_1)
   (receptacleAtLocation Shelf_bar_b loc_bar_2) (openable Crate_bar_1_bar_Basin)
   (receptacleType Shelf_bar_a ShelfType) (receptacleType Shelf_bar_b ShelfType)
   (receptacleType Crate_bar_1_bar_Basin CrateType) (toggleable Lamp_bar_1)
   (inReceptacle Ball_bar_1 Shelf_bar_a) (inReceptacle Ball_bar_2 Shelf_bar_a)
   (inReceptacle Ball_bar_3 Crate_bar_1_bar_Basin) (inReceptacle Lamp_bar_1 Shelf_bar_a)
   (inReceptacle Lamp_bar_1 Shelf_bar_b)
   (objectAtLocation Ball_bar_1 loc_bar_1) (objectAtLocation Ball_bar_2 loc_bar_1)
   (objectAtLocation Ball_bar_3 loc_bar_1) (objectAtLocation Lamp_bar_1 loc_bar_1) (= (total-cost) 0))
 (:goal (and (exists (?x - object ?y - object) (and (not (= ?x ?y)) (not (toggleable ?x)) (not (toggleable ?y))
   (inReceptacle ?x Shelf_bar_b) (inReceptacle ?y Shelf_bar_b))))))`;

/** The content of the game file, with parts replaced. */
export function miniGame(parts: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { pddl_domain: domain, grammar, pddl_problem: problem, solvable: true, ...parts };
}

/** One of the texts of the game with a piece replaced; the piece must occur. */
export function miniGameWith(
  key: 'pddl_domain' | 'grammar' | 'pddl_problem',
  old: string,
  replacement: string,
) {
  const text = miniGame()[key] as string;
  if (!text.includes(old)) throw new Error(`the mini game's ${key} has no '${old}'`);
  return miniGame({ [key]: text.replace(old, replacement) });
}
