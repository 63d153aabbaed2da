/**
 * The document of a suite: a team's own cases, with rules that grade the replies. One schema declares its fields,
 * checks them and tells editors about them; the fields of the graders are in `graders/`.
 */
import { type Static, Type } from 'typebox';
import { callsPerStepMax } from '../worlds/world.ts';
import { PlacedImage } from './images.ts';
import {
  maxCases,
  maxGraders,
  maxIncluded,
  maxJudges,
  maxJudgeTitleCharacters,
  maxLeftOut,
  maxLost,
  maxLostCharacters,
  maxMessageImages,
  maxMessages,
  maxPromptCharacters,
  maxRules,
  maxSampleReplies,
  maxSteps,
  maxTags,
  maxTools,
  maxTrials,
  maxRubricCharacters,
  maxTurns,
  maxVariables,
  maxVotes,
} from './limits.ts';

const closed = { additionalProperties: false } as const;

const text = (max: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: max, ...(description === undefined ? {} : { description }) });

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** `messages.ts` has the rules for images, calls and their results. */
const CaseMessage = Type.Object(
  {
    role: Type.Enum(['system', 'user', 'assistant', 'tool']),
    /** Empty only beside `tool_calls`, and as a result. */
    content: Type.String({ maxLength: maxPromptCharacters }),
    /** Of the user. `place-images.ts` makes them of paths and data URLs. */
    images: Type.Optional(Type.Array(PlacedImage, { minItems: 1, maxItems: maxMessageImages })),
    /** Of the assistant. */
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object({ id: text(200), name: text(64), arguments: Type.Optional(Type.Object({})) }, closed),
        { minItems: 1, maxItems: callsPerStepMax },
      ),
    ),
    /** Of the role `tool`: the call whose result it is. */
    tool_call_id: Type.Optional(text(200)),
  },
  closed,
);
export type CaseMessage = Static<typeof CaseMessage>;

const Rule = Type.Object(
  {
    when: Type.Optional(Type.Object({})),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSteps })),
    return: Type.Optional(Type.Unknown()),
    error: Type.Optional(text(4_000)),
  },
  closed,
);

const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', 'x-rule': 'have 1 to 64 letters, digits, _ or -' }),
    description: Type.Optional(Type.String({ maxLength: 4_000 })),
    parameters: Type.Optional(Type.Object({})),
    /** What its calls return. Without it, a call ends the case. */
    returns: Type.Optional(
      Type.Union([
        Type.String({ maxLength: maxPromptCharacters }),
        Type.Array(Rule, { minItems: 1, maxItems: maxRules }),
        Type.Object({}),
      ]),
    ),
  },
  closed,
);
export type Tool = Static<typeof Tool>;

export const ToolCall = Type.Object({ name: text(64), arguments: Type.Optional(Type.Object({})) }, closed);

/** A reply that a case lists to prove its graders: a text, tool calls, or both; of one of its turns, or the last one. */
const SampleReply = Type.Union([
  Type.String({ maxLength: maxPromptCharacters }),
  Type.Object(
    {
      text: Type.Optional(Type.String({ maxLength: maxPromptCharacters })),
      tool_calls: Type.Optional(Type.Array(ToolCall, { maxItems: 128 })),
      turn: Type.Optional(Type.Integer({ minimum: 1, maximum: maxTurns })),
    },
    closed,
  ),
]);
export type SampleReply = Static<typeof SampleReply>;

const Trials = Type.Integer({ minimum: 1, maximum: maxTrials });
const TimeoutSeconds = Type.Integer({ minimum: 1, maximum: 600 });
/** The name of a tag or of a metric. */
export const Tag = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,39}$',
  'x-rule': 'have 1 to 40 of a-z, 0-9, ., _ and -',
});

/** By the name that `{{…}}` has. */
const Variables = Type.Record(Type.String(), Type.Unknown(), { maxProperties: maxVariables });

const Samples = Type.Optional(Type.Array(SampleReply, { maxItems: maxSampleReplies }));

/** What the user says, and what the reply to it must be like. */
export const Turn = Type.Object(
  {
    prompt: text(maxPromptCharacters),
    expect: Type.Optional(Type.Array(Type.Unknown(), { maxItems: maxGraders })),
    accepted: Samples,
    refused: Samples,
  },
  closed,
);
export type Turn = Static<typeof Turn>;

export const CaseShape = Type.Object(
  {
    id: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$', 'x-rule': 'have 1 to 64 letters, digits, ., _ or -' }),
    ),
    /** For people; in any script. */
    title: Type.Optional(text(140)),
    prompt: Type.Optional(text(maxPromptCharacters)),
    messages: Type.Optional(Type.Array(CaseMessage, { minItems: 1, maxItems: maxMessages })),
    /** What the user says, one after the other. `expand-document.ts` leaves the texts. */
    turns: Type.Optional(
      Type.Array(Type.Union([text(maxPromptCharacters), Turn]), { minItems: 1, maxItems: maxTurns }),
    ),
    /** `expand-document.ts` puts them in. */
    vars: Type.Optional(Variables),
    tools: Type.Optional(Type.Array(Tool, { maxItems: maxTools })),
    max_steps: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSteps })),
    tags: Type.Optional(Type.Array(Tag, { maxItems: maxTags })),
    /** Assertions of the tool that it was imported from which have no counterpart, for people. */
    lost: Type.Optional(Type.Array(text(maxLostCharacters), { minItems: 1, maxItems: maxLost })),
    weight: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000 })),
    pass_at: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    expect: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxGraders }),
    accepted: Samples,
    refused: Samples,
  },
  closed,
);

const Judge = Type.Object(
  {
    /** What a reply must be like, for a model. */
    rubric: Type.Optional(Type.String({ minLength: 1, maxLength: maxRubricCharacters })),
    /** Instead: a program that reads the case as JSON on stdin. */
    command: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    /** What a reply must be like, in reports, instead of the command. */
    title: Type.Optional(Type.String({ minLength: 1, maxLength: maxJudgeTitleCharacters })),
    /** How often the judge is asked for each reply; 1 by default. */
    votes: Type.Optional(Type.Integer({ minimum: 1, maximum: maxVotes })),
    /** How many votes must accept the reply; more than half by default. */
    pass_at: Type.Optional(Type.Integer({ minimum: 1, maximum: maxVotes })),
  },
  closed,
);
export type Judge = Static<typeof Judge>;

const Names = Type.String({ minLength: 1, maxLength: 500 });

/** Shorthand for parts that cases share. `expand-document.ts` expands it. */
const shorthand = {
  template: Type.Optional(
    text(maxPromptCharacters, 'The prompt of each case that has none; `{{name}}` stands for a variable.'),
  ),
  include: Type.Optional(
    Type.Union([Names, Type.Array(Names, { minItems: 1, maxItems: maxIncluded })], {
      description: 'Files that bring `defaults`, `judges`, `tools`, `template` and `cases`.',
    }),
  ),
};
const defaultsOfCases = {
  vars: Type.Optional(Variables),
  expect: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: maxGraders, description: 'Added to the graders of every case.' }),
  ),
  tags: Type.Optional(Type.Array(Tag, { maxItems: maxTags })),
};
export const Shorthand = Type.Object({ ...shorthand, defaults: Type.Optional(Type.Object(defaultsOfCases)) });

/** Instead of a list of cases: a table or a list of records. */
export const CasesFile = Type.Object(
  {
    file: Names,
    map: Type.Optional(
      Type.Record(Type.String(), Names, {
        maxProperties: 50,
        description: 'The columns that have other names, such as `{ prompt: question }`.',
      }),
    ),
  },
  closed,
);

export const HeaderShape = Type.Object(
  {
    suite: Type.Literal(1, { description: 'The version of this format.' }),
    name: Type.String({ pattern: '^[a-z0-9-]{3,64}$', 'x-rule': 'have 3 to 64 of a-z, 0-9 and -' }),
    title: Type.Optional(text(140)),
    description: Type.Optional(Type.String({ maxLength: 4_000 })),
    license: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9.+() -]{1,80}$',
        'x-rule': 'be an SPDX expression, such as CC-BY-4.0',
      }),
    ),
    system: Type.Optional(text(maxPromptCharacters, 'Sent as the system message of every case.')),
    judges: Type.Optional(
      Type.Record(Type.String(), Judge, {
        maxProperties: maxJudges,
        description: 'By the name that graders use.',
      }),
    ),
    tools: Type.Optional(
      Type.Array(Tool, {
        maxItems: maxTools,
        description: 'Offered in every case that has no tools of its own.',
      }),
    ),
    left_out: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLeftOut,
        description:
          'Cases of the tool that it was imported from which have no counterpart. Reports say how many.',
      }),
    ),
    defaults: Type.Optional(
      Type.Object(
        { trials: Type.Optional(Trials), timeout_s: Type.Optional(TimeoutSeconds), ...defaultsOfCases },
        closed,
      ),
    ),
    ...shorthand,
    cases: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxCases }),
  },
  closed,
);

/** A suite as its author writes it. */
export const WrittenSuite = Type.Object(
  {
    ...HeaderShape.properties,
    cases: Type.Union(
      [
        Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: maxCases }),
        CasesFile,
      ],
      {
        description:
          'Each has one of `prompt`, `messages` and `turns`, unless `template` is its prompt, and graders in `expect`. Or the file that has them.',
      },
    ),
  },
  {
    ...closed,
    description: 'Your cases with rules that grade replies. The guide to suites has all fields and graders.',
  },
);

/** A grader as written: one of the names in `graders/registry.ts` with its options. */
export type GraderSpec = Readonly<Record<string, unknown>>;

/** A case without faults, as written except that `id` is filled in. */
export interface SuiteCase extends Omit<Static<typeof CaseShape>, 'id' | 'expect' | 'vars' | 'turns'> {
  readonly id: string;
  readonly turns?: readonly string[];
  readonly expect: readonly GraderSpec[];
}

/** With the paths and the data URLs of its images, as whoever publishes it writes them. */
export type SentMessage = Omit<CaseMessage, 'images'> & { readonly images?: readonly string[] };
export type SentCase = Omit<SuiteCase, 'messages'> & { readonly messages?: readonly SentMessage[] };

export interface SuiteDocument extends Omit<Static<typeof HeaderShape>, 'cases' | keyof typeof shorthand> {
  readonly cases: readonly SuiteCase[];
}

/** What an agent returned for one trial of a case. */
export interface Reply {
  readonly text: string;
  readonly tool_calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Of a case with turns: the reply to each message so far. */
  readonly turns?: readonly Reply[];
  /** Whether the agent called tools until the conversation was cut, or called tools and then said nothing. */
  readonly isUnfinished?: boolean;
  /** From the request to the reply. Null where nothing was called, as for a sample reply. */
  readonly latencyMs: number | null;
  /** As the agent reports it; null if it does not. */
  readonly costUsd?: number | null;
}
