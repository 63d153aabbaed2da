/**
 * Requests to decide by a manual. The manual, the mails that amend it and the files of the requests are all in the
 * prompt; the reply is a table. A review shows a colleague's decisions too, most of which are wrong.
 */
import { decideAll, type RuleKind } from './manual/decide.ts';
import { drawCase } from './manual/draw-facts.ts';
import { dayAfter } from '../../../week/days.ts';
import type { Facts } from './manual/rules.ts';
import { countTokens } from '../../../count-tokens.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawGoods, type Goods } from '../../language/goods.ts';
import { listOf } from '../../language/sentence.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task, TaskLimits } from '../../task.ts';
import { chapterCount, type Desk, type DeskDials, type DeskOffice, makeDesk } from './desk.ts';
import { type Decided, type Given, gradeDecisions, tableOf } from './grade-decisions.ts';
import { rowUnder, skillOf } from './readings.ts';
import type { Column } from './read-table.ts';
import { describeFiles, type FileDials, isSingular, tellRequest } from './tell-request.ts';
import wordings from './wordings.json' with { type: 'json' };

interface LevelDials extends FileDials {
  readonly chapters: number;
  readonly houseRules: number;
  readonly exceptions: number;
  readonly deeper: number;
  readonly memos: number;
  readonly requests: number;
  readonly kinds: readonly RuleKind[];
}

const basic: readonly RuleKind[] = ['exception', 'department'];
const middle: readonly RuleKind[] = [...basic, 'definition', 'deep'];
const all: readonly RuleKind[] = [...middle, 'amendment', 'void'];
const calm: FileDials = { disputed: 0, lettered: 0, corrected: 0 };

/** The manual has 5 pages at the lowest level and up to 40 at the top, if a prompt may be that long. */
const dialsOf: Readonly<Record<Level, LevelDials>> = {
  1: { ...calm, chapters: 2, houseRules: 4, exceptions: 1, deeper: 0, memos: 0, requests: 3, kinds: basic },
  2: {
    ...calm,
    chapters: 3,
    houseRules: 6,
    exceptions: 2,
    deeper: 0.5,
    memos: 0,
    requests: 4,
    kinds: middle,
  },
  3: {
    chapters: 4,
    houseRules: 8,
    exceptions: 2,
    deeper: 0.6,
    memos: 1,
    requests: 6,
    kinds: middle,
    disputed: 0.15,
    lettered: 0.1,
    corrected: 0,
  },
  4: {
    chapters: 5,
    houseRules: 10,
    exceptions: 3,
    deeper: 0.6,
    memos: 2,
    requests: 8,
    kinds: all,
    disputed: 0.25,
    lettered: 0.15,
    corrected: 0.1,
  },
  5: {
    chapters: 6,
    houseRules: 15,
    exceptions: 3,
    deeper: 0.7,
    memos: 2,
    requests: 11,
    kinds: all,
    disputed: 0.3,
    lettered: 0.2,
    corrected: 0.15,
  },
  6: {
    chapters: 8,
    houseRules: 20,
    exceptions: 4,
    deeper: 0.7,
    memos: 3,
    requests: 14,
    kinds: all,
    disputed: 0.35,
    lettered: 0.2,
    corrected: 0.2,
  },
  7: {
    chapters: 10,
    houseRules: 30,
    exceptions: 4,
    deeper: 0.75,
    memos: 3,
    requests: 17,
    kinds: all,
    disputed: 0.4,
    lettered: 0.25,
    corrected: 0.2,
  },
  8: {
    chapters: chapterCount,
    houseRules: 40,
    exceptions: 5,
    deeper: 0.75,
    memos: 4,
    requests: 20,
    kinds: all,
    disputed: 0.45,
    lettered: 0.25,
    corrected: 0.25,
  },
};

/** The kinds `requests` and `review` with manuals of an office; `prefix` begins their names. */
export function policyKinds(office: DeskOffice, prefix = ''): readonly Kind[] {
  const kindOf = (name: string, isReview: boolean): Kind => ({
    name: `${prefix}${name}`,
    make: (random, level, limits) => make(random, level, limits, { office, isReview }),
  });
  return [kindOf('requests', false), kindOf('review', true)];
}

interface Asked {
  readonly office: DeskOffice;
  readonly isReview: boolean;
}

/** Names in the list that belong to no sender. */
const spareSenders = 3;

/** What a prompt holds back of its limit: the estimate of tokens is rough. */
const tokenShare = 0.95;

function make(random: Random, level: Level, { maxPromptTokens }: TaskLimits, asked: Asked): Task {
  const max = maxPromptTokens * tokenShare;
  // A draft takes up to 30 ms, so those that are likely to be too long are not made.
  let room = max;
  return firstDraft(() => {
    const dials = fit(dialsOf[level], room);
    const task = firstDraft(() => draft(random, dials, asked));
    room *= 0.9;
    return countTokens(task.turns[0] ?? '') <= max ? task : null;
  });
}

/** Less of everything that may be left out, until a prompt has `room`: first what decides nothing, then requests. */
function fit(dials: LevelDials, room: number): LevelDials {
  if (likelyTokens(dials) <= room) return dials;
  const { houseRules, chapters, requests } = dials;
  if (houseRules > 4) return fit({ ...dials, houseRules: Math.max(4, houseRules - 4) }, room);
  if (chapters > 2) return fit({ ...dials, chapters: chapters - 1 }, room);
  if (requests === requestsMin) return dials;
  return fit({ ...dials, requests: requests - 1 }, room);
}

const requestsMin = 3;

/** The mean over drafts, within a tenth. */
function likelyTokens({ chapters, houseRules, exceptions, deeper, memos, requests, lettered }: LevelDials) {
  const clauses = exceptions * (1 + deeper);
  return (
    350 + chapters * (560 + 105 * clauses) + houseRules * 60 + memos * 155 + requests * (110 + 200 * lettered)
  );
}

/** Null if too many requests end alike, so that one line for all of them would do, or if the draft is right. */
function draft(random: Random, dials: LevelDials, { office, isReview }: Asked): Task | null {
  const desk = makeDesk(random, deskDials(dials), office);
  const columns = columnsOf(desk);
  const allowed = new Set(dials.kinds);
  const files = Array.from({ length: dials.requests }, (_, at) =>
    drawCase(random, desk.law, desk.voids, {
      kind: dials.kinds[(at + random.int(0, 1)) % dials.kinds.length] ?? null,
      allowed,
      drawDay: () => dayAfter(desk.today, -random.int(4, 60)),
      isPossible: (facts) => Object.values(facts).every((value) => !isSingular(value)),
    }),
  );
  const drawn = drawGoods(random, dials.requests + spareSenders);
  const decided: Decided[] = files.map((facts, at) => ({
    id: drawn[at]?.name ?? '',
    skill: skillOf(desk, facts),
    row: rowOf(columns, decideAll(desk.law, facts)),
  }));
  const drafted = isReview ? draftDecisions(random, desk, columns, files, decided) : null;
  if (greatestGroup(decided) > Math.max(2, Math.floor(dials.requests / 2.5))) return null;
  // A copy of a draft without a mistake would pass.
  if (drafted !== null && String(drafted) === String(decided.map(({ row }) => row))) return null;
  const given = { columns, decided, drafted };
  const right = tableOf(given, decided);
  const wrong = rowUnder.map((read) =>
    tableOf(
      given,
      decided.map((own, at) => ({ ...own, row: rowOf(columns, read(desk, files[at] ?? {})) })),
    ),
  );
  const lines = right.split('\n');
  const [, , first = ''] = lines;
  const spare = drawn[dials.requests]?.name ?? '';
  const other = decided.find(({ row }) => String(row) !== String(decided[0]?.row))?.row ?? [];
  return {
    turns: [describe(random, desk, given, files, drawn, dials)],
    expected: decided.map(({ id, row }) => `${id}: ${row.join(', ')}`).join('\n'),
    answer: null,
    accepted: [
      [right],
      [decided.map(({ id, row }) => [id, ...row].join(' | ')).join('\n')],
      [
        `<think>Clause by clause.</think>\n\`\`\`csv\n${decided.map(({ id, row }) => [id, ...row].join(';')).join('\n')}\n\`\`\``,
      ],
      [`These are my decisions:\n\n${right}\n\nI followed the manual.`],
    ],
    refused: [
      [''],
      [`<think>${right}`],
      [decided.map(({ id }) => `${id} | refer to the Head of Service`).join('\n')],
      [decided.map(({ id }) => [id, ...(decided[0]?.row ?? [])].join(' | ')).join('\n')],
      [lines.toSpliced(2, 1).join('\n')],
      [right.replace(`| ${decided[0]?.id} |`, `| ${spare} |`)],
      [`${right}\n${[first.split('|')[1]?.trim(), ...other].join(' | ')}`],
      ...(drafted === null
        ? []
        : [
            [
              tableOf(
                given,
                decided.map((own, at) => ({ ...own, row: drafted[at] ?? [] })),
              ),
            ],
          ]),
      ...[...new Set(wrong)].filter((table) => table !== right).map((table) => [table]),
    ],
    grade: ([reply = '']) => gradeDecisions(reply, given),
  };
}

function deskDials({ chapters, houseRules, exceptions, deeper, memos }: LevelDials): DeskDials {
  return {
    chapters,
    rules: { exceptions, deeper, depth: 3, amendments: memos, voids: memos },
    manual: {
      displaced: deeper === 0 ? 0 : 0.2,
      bySubject: deeper === 0 ? 0.2 : 0.45,
      numbersNested: true,
      remarks: 0.35,
      houseRules,
    },
  };
}

function columnsOf({ spec }: Desk): Column[] {
  return spec.questions.map(({ name, values }) => ({ name, values: values.map(String) }));
}

function rowOf(columns: readonly Column[], outcome: Readonly<Record<string, string | number>>): string[] {
  return columns.map(({ name }) => String(outcome[name]));
}

/** A colleague's decisions: right in about a third of the requests, elsewhere with a likely mistake. */
function draftDecisions(
  random: Random,
  desk: Desk,
  columns: readonly Column[],
  files: readonly Facts[],
  decided: readonly Decided[],
): (readonly string[])[] {
  return decided.map(({ row }, at) => {
    if (random.chance(0.35)) return row;
    const rows = rowUnder.map((read) => rowOf(columns, read(desk, files[at] ?? {})));
    const wrong = rows.filter((other) => String(other) !== String(row));
    return wrong.length === 0 ? changeOne(random, columns, row) : random.pick(wrong);
  });
}

function changeOne(random: Random, columns: readonly Column[], row: readonly string[]): string[] {
  const place = random.int(0, columns.length - 1);
  const others = (columns[place]?.values ?? []).filter((value) => value !== row[place]);
  return row.with(place, random.pick(others));
}

function greatestGroup(decided: readonly Decided[]): number {
  return Math.max(...[...Map.groupBy(decided, ({ row }) => String(row)).values()].map((own) => own.length));
}

const tableRow = (row: readonly string[], id: string) => [id, ...row].join(' | ');

function describe(
  random: Random,
  desk: Desk,
  { columns, decided, drafted }: Given,
  files: readonly Facts[],
  drawn: readonly Goods[],
  dials: LevelDials,
): string {
  const { manual, directory, mails, spec } = desk;
  const pages = manual.pages.map(({ page, chapter, text }) => `[Page ${page}: ${chapter}]\n${text}`);
  const outcomes = spec.questions.map(({ name, subject, values }) => {
    return `- ${name}: ${subject}; one of ${values.join(', ')}`;
  });
  const labels = random.pick(wordings.labels);
  const from = drawWording(random, wordings.senders);
  const told = files.map((facts, at) => {
    const sender = fillIn(from, { what: random.pick(drawn[at]?.phrases ?? []) });
    return tellRequest(random, desk, { sender, facts, dials, labels });
  });
  const hasMails = mails.length > 0;
  const opening = fillIn(drawWording(random, wordings.openings), {
    about: hasMails ? random.pick(wordings.about) : '',
    staff: hasMails ? random.pick(wordings.staff) : '',
  });
  const columnsAsked = tableRow(
    columns.map(({ name }) => name),
    'sender',
  );
  return [
    `${opening} ${fillIn(drawWording(random, wordings.days), { today: desk.today })}`,
    `MANUAL\n\n${pages.join('\n\n')}`,
    `DIRECTORY\n\n${directory.join('\n')}`,
    ...(hasMails ? [`MAILS\n\n${mails.join('\n\n')}`] : []),
    `FILES\n\n${describeFiles(random, dials, labels)}\n\n${told.join('\n\n')}`,
    ...(drafted === null
      ? []
      : [`DRAFT\n\n${drawWording(random, wordings.drafts)}\n${draftLines(drafted, decided).join('\n')}`]),
    `${drawWording(random, wordings.questions)}\n${outcomes.join('\n')}`,
    [
      fillIn(drawWording(random, wordings.replies), { columns: columnsAsked }),
      drawWording(random, wordings.headers),
      fillIn(drawWording(random, wordings.names), {
        names: listOf(drawn.map(({ name }) => name).toSorted()),
      }),
    ].join(' '),
  ].join('\n\n');
}

/** By name: the order of the files would tell who is who. */
function draftLines(drafted: readonly (readonly string[])[], decided: readonly Decided[]): string[] {
  return drafted.map((row, at) => tableRow(row, decided[at]?.id ?? '')).toSorted();
}
