/**
 * The words with which a reply doubts, denies or retracts its answer. An answer next to them does not count, whatever
 * its value. The lists are strict around the answer itself and looser further away, where an explanation may follow.
 */

const alternation = (...phrases: readonly string[]) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${phrases.join('|')})(?![\p{L}\p{N}])`, 'iu');

/** A doubt beside an answer. Further away, somebody may say so of something else. */
const cannotTell =
  "(?:don't|do not|didn't|can't|cannot|could not|couldn't) (?:really |actually |quite )?(?:know|tell|determine|decide|verify|confirm|rule out|say for sure|be sure)";

/** Beside an answer, whoever guesses. */
const anyGuess = 'guess(?:work|timate)?';

/** Doubts that count anywhere near an answer. */
const hedges: readonly string[] = [
  'maybe',
  'perhaps',
  'possibly',
  'probably',
  'presumably',
  'supposedly',
  'apparently',
  'conceivably',
  'arguably',
  'most likely',
  'very likely',
  'likely',
  'approx(?:imately|\\.)?',
  'roughly',
  'or so',
  'ish',
  'give or take',
  'more or less',
  'ballpark',
  '(?:might|could|may)(?: also| well| just| even| still| equally| then)*(?: have been| be)',
  "i(?:'m| am)? (?:\\p{L}+ )?(?:think|believe|guess|guessing|suppose|assume|assuming|suspect|reckon|imagine|presume|feel)",
  "(?:i'd|i would|if i had to|had to|i'll have to|i have to) (?:say|guess|bet|choose|pick|wager)",
  '(?:best|educated|wild|rough|random|lucky|good|first|second|another) guess(?:es)?',
  '(?:a|my|the|just a|only a|pure) guess',
  anyGuess,
  "(?:not|n't|never|hardly|less than) (?:\\p{L}+ |100 ?% )?(?:sure|certain|confident|convinced|clear|positive)",
  'un(?:sure|certain|clear|verified|likely|confirmed)',
  cannotTell,
  'no idea',
  'hard to (?:say|tell|know)',
  'alternative(?:ly)?',
  'either',
  '(?:another|other|second|different|alternate) (?:possible |plausible |valid |potential )?(?:answer|candidate|option|possibility|solution|result|value|reading|interpretation)s?',
  '(?:also|equally) (?:be )?(?:possible|plausible|acceptable|valid|correct|right|consistent|work|works|fit|fits)',
  'possibilit(?:y|ies)',
  'depend(?:s|ing) on',
  'tentative(?:ly)?',
  'provisional(?:ly)?',
  '(?:low|little|medium|moderate|limited) confidence',
  'confidence(?: level)? ?[:=] ?(?:very )?(?:low|medium|moderate|[0-4]?\\d ?%|0?\\.[0-4]\\d*)',
  "don't quote me",
  '(?:grain|pinch) of salt',
  'to be (?:verified|confirmed|checked)',
  'needs? (?:checking|verification|confirmation)',
  '(?:might|may|could) (?:well |easily )?(?:be )?(?:wrong|mistaken|off|incorrect)',
  'i seem to',
  'it (?:seems|appears|looks like)',
  'seems to be',
  'appears to be',
  'if memory serves',
];

/** Words that retract an answer, or replace it with another. */
const retractions: readonly string[] = [
  'wait',
  'hold on',
  'hang on',
  'hmm+',
  'oops',
  'whoops',
  'scratch that',
  'strike that',
  'never ?mind',
  '(?:on|upon) (?:second|further|closer|more careful) (?:thought|thoughts|reflection|inspection|look|reading|consideration|examination|review)',
  '(?:on|upon) (?:reflection|review|rechecking|re-reading|re-checking|reconsideration|double-checking)',
  'in hindsight',
  'second thoughts?',
  'come to think of it',
  'let me (?:re-?(?!peat|state|cap|iterate)\\p{L}+|correct|fix|revise|amend|try (?:that |this |it )?again|start (?:over|again)|do (?:that|this|it) again)',
  '(?:made|make|see|spotted|found|noticed|is|was|contains?) an? (?:\\p{L}+ )?(?:mistake|error|slip|typo|miscount|miscalculation)',
  'my (?:mistake|bad|error|apologies)',
  "(?:that|this|it|above|which|answer|result|value|\\d+|i|was|that's|it's|am|is)(?: is| was| isn't| wasn't| am)?(?: all| clearly| obviously| definitely| actually| just| simply| plainly| completely| totally)? (?:wrong|incorrect|mistaken|false|invalid|inaccurate|impossible|off by \\p{L}+)",
  "(?:is|was|are)(?:n't| not)(?: quite| actually| really| even| at all| necessarily)?(?: the)?(?: final| correct| right| real| true)* (?:right|correct|true|the answer|answer|it|valid|accurate)",
  "(?:can't|cannot|can not|couldn't) be (?:right|correct|true|it|the answer)",
  "doesn't (?:work|fit|add up|hold|match)",
  'does not (?:work|fit|add up|hold|match)',
  'take (?:that|it|this) back',
  'retract(?:ed|ing|ion)?',
  'withdraw(?:n|ing)?',
  'disregard',
  '(?:ignore|forget|discard|delete|drop|skip) (?:that|this|the above|the previous|my|it|what i)',
  '(?:it|that|this|answer|which|value|result|i|actually) should(?: actually| really| rather| instead)? (?:be|have been|read|say|have said)',
  '(?:i|actually|really) mean(?:t)?',
  'miscount(?:ed)?',
  'miscalculat(?:ed|ion)',
  'misread',
  'mis-?(?:took|stated|spoke|typed|judged)',
  'overlooked',
  'changed? my (?:mind|answer)',
  'i (?:now )?doubt',
  '(?:revised|updated|corrected|amended|new|different) (?:final )?(?:answer|result|value|solution|response)',
  'correction',
  'erratum',
  '(?:make|making) (?:that|it)',
  'or rather',
  'go(?:ing)? with .{1,60} instead',
  'change(?:d|s)? (?:it|that|this|the answer|my answer) to',
];

/** Words that begin a sentence that retracts the answer. */
const retractingOpenings =
  /(?:^|[.!?\n]|—|–| - )[ ]*[*_"(]{0,3}(?:no|nope|actually|sorry|apologies|but (?:no|wait|actually|then)|edit|update|not|or|rather|instead|correction|better|strictly speaking)(?:[ ]*[,:;!.—–-]|[ ]+(?:it|that|the answer|this|maybe|\d))/i;

/** Denials: an answer does not count after one of these in the same sentence. */
const denials: readonly string[] = [
  'no',
  'not',
  "\\p{L}+n't",
  'never',
  'nobody',
  'none',
  'neither',
  'nor',
  'nothing',
  'cannot',
  'wrong(?:ly)?',
  'incorrect(?:ly)?',
  'false(?:ly)?',
  'untrue',
  'deny',
  'doubt(?:s|ful)?',
  'unless',
  'except',
  'anything but',
  'if (?!we )',
  'used to',
  'whether',
  'would',
  'could',
  'might',
  'may',
  'some',
  'someone',
  'others',
  'people',
  'they',
  'many',
  'user',
  'claims?',
  'claimed',
  'says?',
  'said',
  'told',
  'thought',
  'pretend',
  'suppos(?:e|ing)',
  'assum(?:e|ing)',
  'imagine',
  'hypothetically',
  'suggests?',
  'tempt(?:ed|ing)',
  'were',
  'refuse',
  'instead of',
  'rather than',
  'than',
];

const hedge = alternation(...hedges);
const hedgeOrDenial = alternation(...hedges, ...denials);
const retraction = alternation(...retractions);
const denialInNote = alternation(
  'not(?! (?:counting|including|needed|count(?:ed)?|includ(?:ed|ing)|case))',
  'no',
  'nope',
  "(?:is|was|are|do|does|did|could|would|should|ca|wo)n't",
  'never',
  'wrong',
  'incorrect',
  'false',
  'invalid',
  'neither',
  'nor',
  'or',
  'about',
  'around',
  'circa',
  'at (?:least|most)',
  'up to',
  'nearly',
  'almost',
  'if',
  'unless',
  'otherwise',
  'else',
  'today',
  'yesterday',
  'formerly',
  'instead',
  'try',
  'old',
  'previous(?:ly)?',
);
/**
 * Not what somebody cannot tell: a secret kept or a step left out may stand above an answer that is certain. Nor what
 * others guess.
 */
const strongHedge = alternation(
  ...hedges.filter(
    (phrase) =>
      phrase !== cannotTell &&
      phrase !== anyGuess &&
      /guess|sure|un\(|hard to|confidence\b|tentative|quote me/.test(phrase),
  ),
  'guess(?:work|timate| ?:)',
);
const signs = /[?≈±❌❎✖🚫⛔🤔🤷❓❔⁉≠]|(?:^|[ (])[~<>≤≥]/u;

/** The number of characters that are searched, because a doubt is close to its answer. */
const maxSearched = 2_000;

/** Whether `text` doubts something, without retracting anything. */
export function isHedged(text: string): boolean {
  return hedge.test(text);
}

/** Whether the words before an answer in its sentence doubt or deny it. */
export function doubtsAhead(text: string): boolean {
  return hedgeOrDenial.test(text.slice(-maxSearched)) || /[❌❎✖🚫⛔🤔🤷❓❔⁉≠≈]/u.test(text.slice(-40));
}

/** Whether the words right after an answer, in its sentence or its brackets, doubt or deny it. */
export function doubtsInNote(note: string): boolean {
  const text = note.slice(0, maxSearched);
  return signs.test(text) || denialInNote.test(text) || doubtsAfter(text);
}

/** Whether the text that follows an answer retracts or doubts it. */
export function doubtsAfter(text: string): boolean {
  return (
    hedge.test(text) || retraction.test(text) || retractingOpenings.test(text) || /[❌❎🤔🤷]/u.test(text)
  );
}

/** Whether the paragraph before an answer announces a guess. */
export function announcesGuess(paragraph: string): boolean {
  return strongHedge.test(paragraph.slice(-maxSearched));
}
