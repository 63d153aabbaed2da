/** Answers the tasks of the category context from their prompts, by turning sentences back into facts. */
import { bonds, places, quirks, trades } from '#evals/suite/tasks/context/hops.ts';

const name = String.raw`(\p{Lu}\p{Ll}+)`;

interface Fact {
  readonly key: string;
  readonly subject: string;
  readonly object: string;
}

const patterns = [
  ...[...trades, ...quirks].flatMap(({ text, question }) =>
    text.map((said) => ({
      key: question,
      pattern: new RegExp(`^${name} ${said}\\.$`, 'u'),
      isSwapped: false,
    })),
  ),
  ...[...bonds, ...places].flatMap(({ text, question }) =>
    text.map((said) => ({
      key: question,
      pattern: new RegExp(`^${said.replace('.', '\\.').replace('{a}', name).replace('{b}', name)}$`, 'u'),
      isSwapped: said.indexOf('{b}') < said.indexOf('{a}'),
    })),
  ),
];

/** Every answer that the facts of the prompt allow. A sound task has one. */
export function answerHops(prompt: string): string[] {
  const paragraphs = prompt.split('\n\n');
  const question = paragraphs.at(-1) ?? '';
  const facts = paragraphs.slice(1, -1).flatMap((paragraph) => paragraph.split(/(?<=\.) /).map(readFact));
  const traits = [...trades, ...quirks]
    .map((trait) => trait.question)
    .filter((text) => question.includes(text));
  const having = traits.map(
    (key) => new Set(facts.filter((fact) => fact.key === key).map(({ subject }) => subject)),
  );
  let people = [...(having[0] ?? [])].filter((person) => having.every((set) => set.has(person)));
  for (const { question: key } of relationsIn(question)) {
    people = people.flatMap((person) =>
      facts.filter((fact) => fact.key === key && fact.subject === person).map(({ object }) => object),
    );
  }
  return [...new Set(people)];
}

function readFact(sentence: string): Fact {
  for (const { key, pattern, isSwapped } of patterns) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const [first = '', second = ''] = match.slice(1);
    return { key, subject: isSwapped ? second : first, object: isSwapped ? first : second };
  }
  throw new Error(`Not a fact: ${sentence}`);
}

/** The relations of a question in the order in which to follow them: as given, or from the inside out. */
function relationsIn(question: string): { question: string }[] {
  const found = [...bonds, ...places].flatMap((relation) => {
    const at = question.indexOf(relation.question.replace('{x}', ''));
    return at < 0 ? [] : [{ relation, at }];
  });
  const ordered = found.toSorted((one, two) => one.at - two.at).map(({ relation }) => relation);
  return question.startsWith('Start with') ? ordered : ordered.toReversed();
}

const forms = [
  /^(?<who>\p{L}+) brings (?<what>\p{L}+) to the (?<where>\p{L}+) gate (?<how>\p{L}+ \p{L}+); receipt (?<word>\p{L}+)\./u,
  /^At the (?<where>\p{L}+) gate, (?<who>\p{L}+) delivers (?<what>\p{L}+) (?<how>\p{L}+ \p{L}+)\. Receipt word: (?<word>\p{L}+)\./u,
  /^Receipt (?<word>\p{L}+): (?<what>\p{L}+), brought (?<how>\p{L}+ \p{L}+) by (?<who>\p{L}+), (?<where>\p{L}+) gate\./u,
  /^(?<how>\p{L}+ \p{L}+) comes (?<who>\p{L}+) with (?<what>\p{L}+), to the (?<where>\p{L}+) gate, receipt (?<word>\p{L}+)\./u,
];

export function answerTwins(prompt: string): string {
  const paragraphs = prompt.split('\n\n');
  const asked =
    /in which (?<who>\p{L}+) brings (?<what>\p{L}+) to the (?<where>\p{L}+) gate (?<how>\p{L}+ \p{L}+)\..* the (?<rank>\d+)\p{L}+ of them, counted from the (?<side>beginning|end)/u.exec(
      paragraphs.at(-1) ?? '',
    )?.groups ?? {};
  const matching = (paragraphs[1] ?? '').split('\n').flatMap((line) => {
    const found = forms.map((form) => form.exec(line)?.groups).find((groups) => groups !== undefined);
    if (found === undefined) throw new Error(`Not an entry: ${line}`);
    const isAsked = ['who', 'what', 'where', 'how'].every(
      (point) => found[point]?.toLowerCase() === asked[point]?.toLowerCase(),
    );
    return isAsked && !line.endsWith('(Struck out.)') ? [found['word'] ?? ''] : [];
  });
  const rank = Number(asked['rank']);
  return matching.at(asked['side'] === 'end' ? -rank : rank - 1) ?? '';
}
