/** The words allowed before or after a value in its own sentence: "so we get", "is the answer". */

const connective =
  /^(?:(?:so|therefore|thus|hence|then|and|finally|in the end|overall|in total|altogether|in conclusion|in short|in summary|to sum up|to conclude|as a result|consequently|accordingly|ultimately|all in all|that said|putting it all together|putting it together|after (?:all|everything)(?: that)?|and so|with that)(?:[,:]| [-–—])? +|(?:easy|simple|conclusion|tl;dr|well|right|yes|okay|ok|alright|bottom line|drum roll|solved|got it)(?:[,:!]| [-–—]) +|∴ ?|⇒ ?|=> ?|→ ?)/i;

const noun =
  '(?:answer|result|results|solution|output|response|total|value|number|count|sum|word|name|names|list|set|date|day|time|digits|code|line|order|sequence|ranking|text|string|ordering|items?|final|conclusion|figure|outcome|digit string|digit sequence|set of items|list of items|reply)';
const qualities =
  '(?:(?:final|only|correct|right|resulting|sorted|requested|required|exact|complete|full|actual|overall|ordered|short|single|whole|calendar|definitive|desired|reversed|edited|computed|true|grand|end|last|complete,|24-hour|clock|remaining|missing|target) ){0,3}';
const scope =
  "(?:,? (?:to|for|of|here|that|we|i|you|in|after|asked|being|requested|needed)(?: [\\p{L}\\p{N}'-]{1,20}){0,8}?)?";
const adverb =
  '(?:(?: therefore| thus| hence| then| simply| just| exactly| indeed| as follows| the following| clearly| now| precisely| equal to| definitely| of course| consequently| still| a total of| the| a)(?![\\p{L}])){0,2}';
const mark = '[*_`]{0,3}';
const be =
  "(?:is|are|was|were|'s|’s|equals?|gives?|yields?|makes?|would be|will be|must be|has to be|comes (?:out )?(?:to|at|as)|works out (?:to|as|at)|turns out to be|amounts to|becomes|reads|remains|ends up (?:as|being)|=)";

const leads: readonly RegExp[] = [
  `${mark}(?:(?:the|my|our|your) )?${qualities}(?:${noun}|verdict|tl;?dr|bottom line|ergebnis|lösung|résultat|resultado|risultato|результат|结果|結果|결과|a)${mark}${scope}(?: ?[([][^()[\\]\n]{1,60}[)\\]])?${mark} ?(?::|=|->|→|⇒|–|—|-(?= ))`,
  `${mark}(?:(?:the|my|our|your|this|that) )?${mark}${qualities}${noun}${mark}${scope},? ${be}`,
  `(?:it|that|this|which|these|they|here|what you want|what we get|what i get|all of this|everything)(?: all)?(?: |(?='|’))${be}`,
  '(?:we|i|you|one)(?: then| finally| therefore| now| thus| can| do| must)*(?: get| got| have| obtain| find| found| arrive at| arrived at| end up with| ended up with| am left with| are left with| conclude| reach| reached| computed?| calculated?| end with| count| counted| determined?| answer| say)(?: that| that it is| an answer of| a total of| a result of| the answer| the result)?',
  "(?:we're|i'm|we are|i am) left with",
  'there (?:are|is|were|was)',
  '(?:giving|yielding|making|leaving|resulting in|for a total of|equals|gives|totals|totalling|which gives)(?: us| you| me| a total of| an answer of)?',
  "here(?:'s| is| are| you go| we go| it is| you are)[^:\n]{0,80}(?=:)",
  '(?:this|that|it) (?:gives|leaves|yields|makes|brings)(?: us| you| me)?(?: to| with)?',
  '(?:presenting|submitting|i submit|i answer|answering|i report|reporting|i respond|i return)(?: the| my)?(?: final)?(?: answer)?',
].map((pattern) => new RegExp(`^${pattern}${adverb}(?:[:,]|(?= )|(?=[*_\`"$]))[ ]*[:,]?${mark}[ ]*`, 'iu'));

const trails: readonly RegExp[] = [
  new RegExp(
    `^(.*[^ ]),? (?:is|are|was|would be|'s|being|as|=|makes) (?:the|my|our|your) ${qualities}${noun}(?: (?:to|for|of|here|that|we|you|i|in)(?: [\\p{L}\\p{N}'-]{1,20}){0,8})?$`,
    'iu',
  ),
  /^(.*[^ ]) (?:is|are) (?:correct|right|it|what (?:you|we|i)(?: [\p{L}']{1,20}){1,5})$/iu,
  /^(.*[^ ]),? it is$/iu,
  /^(.*[^ ])(?:,| [-–—]|:) (?:final answer|answer|that's (?:it|the answer|my (?:final )?answer)|that is (?:the|my) (?:final )?answer)$/iu,
];

/** The text without its lead-in, or null if it has none. */
export function withoutLeadIn(text: string): string | null {
  const line = text.slice(0, 400);
  const joined = connective.exec(line);
  if (joined !== null && joined[0].length < text.length) return text.slice(joined[0].length);
  for (const lead of leads) {
    const match = lead.exec(line);
    if (match !== null && match[0].length < text.length) return text.slice(match[0].length);
  }
  return null;
}

/** The text without a final "is the answer" or the like, or null if it has none. */
export function withoutTrail(text: string): string | null {
  if (text.length > 4_000 || text.includes('\n')) return null;
  for (const trail of trails) {
    const match = trail.exec(text);
    if (match?.[1] !== undefined) return match[1];
  }
  return null;
}

const spanAtEnd = /^([^*`"“”«»]{1,400}) ?(\*\*|__|`|"|“|«)([^*`"“”«»\n]{1,4000})(?:\*\*|__|`|"|”|»)[.!]?$/;
/** More than the two patterns can match. Without this limit, they try every way to split a long text. */
const maxSpanCharacters = 4_500;
const boldAtEnd = /^([^*`]{1,400}) ?(\*\*)((?:[^*\n]|\*(?!\*)){1,4000})\*\*[.!]?$/;
const pointing =
  /(?:\b(?:is|are|was|be|get|got|have|gives?|equals?|yields?|to|with|as|on|at|reads|remains?|becomes?|leaves|leaving|answer|result|total|us|of|find|makes?)|[:=→])$/i;

/** The marked words at the end of a sentence and the words before them, as in `so there are **7**.` */
export function markedSpan(text: string): { readonly ahead: string; readonly span: string } | null {
  if (text.length > maxSpanCharacters) return null;
  const match = boldAtEnd.exec(text) ?? spanAtEnd.exec(text);
  if (match?.[1] === undefined || match[3] === undefined) return null;
  return pointing.test(match[1].trim()) ? { ahead: match[1], span: match[3] } : null;
}
