/** Which imported cases a suite can have, and with which of their graders. */
import { checkDocument } from '../check-document.ts';
import { faultOfImage } from '../images.ts';
import { graderName } from '../graders/registry.ts';
import {
  maxCases,
  maxDocumentWork,
  maxLost,
  maxLostCharacters,
  maxMessageImages,
  maxTags,
} from '../limits.ts';
import { echoOf, passesText } from '../try-samples.ts';
import { WorkBudget } from '../work-budget.ts';
import type { ImportedCase, Lose } from './imported.ts';
import type { ImportedJudges } from './imported-judges.ts';
import type { LostList } from './lost-list.ts';

const rule = 'It breaks a rule.';
const noGrader = 'It has no grader. Kept with `--keep-ungraded`, it would pass with any reply.';
const tooManyCases = `A suite must have at most ${maxCases} cases.`;
const tooMuchWork = `Checking the cases up to here takes more than ${maxDocumentWork} steps. Use simpler graders, or import the file in parts.`;

export type Made = Omit<ImportedCase, 'line' | 'file'>;

interface Keeping {
  readonly judges: ImportedJudges;
  /** Whether cases without graders are kept. */
  readonly keepUngraded: boolean;
}

/** All cases share it. */
interface Checking extends Keeping {
  readonly work: WorkBudget;
}

/** Why a suite cannot have the case; null if it can. */
function faultOf(made: Made, { judges, work }: Checking): string | null {
  if (work.isSpent) return tooMuchWork;
  const image = faultOfImages(made);
  if (image !== null) return image;
  const cases = [withoutImages(made)];
  const checked = checkDocument({ suite: 1, name: 'abc', ...judges.of([made]), cases }, work);
  return checked.ok ? null : (checked.faults[0]?.message ?? rule);
}

/** Publishing takes the images in; before that, they are paths and data URLs. */
export function withoutImages({ messages, ...made }: Made): Made {
  return messages === undefined
    ? made
    : { ...made, messages: messages.map(({ role, content }) => ({ role, content })) };
}

function faultOfImages({ messages = [] }: Made): string | null {
  for (const { role, images = [] } of messages) {
    if (images.length > 0 && role !== 'user') return 'Only messages of the user have images.';
    if (images.length > maxMessageImages) return `A message has at most ${maxMessageImages} images.`;
    const fault = images.map(faultOfImage).find((each) => each !== null);
    if (fault !== undefined) return `An image ${fault}.`;
  }
  return null;
}

/**
 * The cases that a suite can have; the others are lost, with the reason, and so is an id that occurs again. Checking all
 * cases may cost what checking a document may.
 */
export async function keepSound(
  cases: readonly ImportedCase[],
  lost: LostList,
  keeping: Keeping,
): Promise<readonly Made[]> {
  const checking = { ...keeping, work: new WorkBudget(maxDocumentWork) };
  const ids = new Set<string>();
  const kept: Made[] = [];
  for (const [at, { line, file, id, lost: gone = [], ...rest }] of cases.entries()) {
    const taken = id !== undefined && ids.has(id);
    if (id !== undefined) ids.add(id);
    const name = `case ${id ?? at + 1}`;
    const lose: Lose = (construct, why) => lost.add(line, construct, why, file);
    if (taken) lose(`id ${id}`, 'An earlier case has it; this one is named by its content.');
    const whole = taken || id === undefined ? rest : { id, ...rest };
    const found =
      whole.expect.length === 0 && !keeping.keepUngraded
        ? noGrader
        : at < maxCases
          ? await soundOf(whole, gone, checking, { lose, name })
          : tooManyCases;
    if (typeof found === 'string') {
      lose(name, found);
      lost.leaveOut();
    } else kept.push(found);
  }
  return kept;
}

/** The case as a suite can have it, or why there is none. */
async function soundOf(
  whole: Made,
  gone: readonly string[],
  checking: Checking,
  { lose, name }: { readonly lose: Lose; readonly name: string },
): Promise<Made | string> {
  if (whole.expect.length === 0) {
    const asked = ungraded(marked(whole, gone));
    return faultOf(asked, checking) ?? asked;
  }
  const why = faultOf(whole, checking);
  const made = why === null ? { case: whole, unsound: [] } : withSoundGraders(whole, checking);
  if (made === null) {
    const names = whole.expect.map((spec) => `grader: ${graderName(spec)}`);
    const plain = ungraded(marked(whole, [...gone, ...names]));
    if (!checking.keepUngraded || faultOf(plain, checking) !== null) return why ?? rule;
    lose(`graders of ${name}`, why ?? rule);
    return plain;
  }
  for (const { fault } of made.unsound) lose(`grader of ${name}`, fault);
  const partial = marked(made.case, [...gone, ...made.unsound.map((each) => each.name)]);
  if (partial.lost === undefined || !(await passesAnything(partial, checking.work))) return partial;
  return checking.keepUngraded
    ? ungraded(partial)
    : 'Without the assertions that were lost, an empty reply or its own prompt would pass.';
}

const partialTag = 'lost-assertions';

/** Says in the case which of its assertions are lost. */
function marked(made: Made, lost: readonly string[]): Made {
  if (lost.length === 0) return made;
  const names = lost.map((name) => name.slice(0, maxLostCharacters));
  const listed =
    names.length > maxLost ? [...names.slice(0, maxLost - 1), `${names.length - maxLost + 1} more`] : names;
  return { ...tagged(made, partialTag), lost: listed };
}

function tagged(made: Made, tag: string): Made {
  return { ...made, tags: [...(made.tags ?? []).slice(0, maxTags - 1), tag] };
}

function ungraded(made: Made): Made {
  return { ...tagged(made, 'ungraded'), expect: [{ length: 'characters', min: 1 }] };
}

/** Whether what is left of a case passes with an empty reply, or with the repeated prompt. */
async function passesAnything(made: Made, whole: WorkBudget): Promise<boolean> {
  return (await passesText(made, '', whole)) || (await passesText(made, echoOf(made), whole));
}

interface Unsound {
  readonly name: string;
  readonly fault: string;
}

/** One grader that a suite cannot have, such as an expression that looks behind, does not cost the others. */
function withSoundGraders(
  whole: Made,
  checking: Checking,
): { readonly case: Made; readonly unsound: readonly Unsound[] } | null {
  if (whole.expect.length < 2) return null;
  const graders = whole.expect.map((grader) => ({
    grader,
    fault: faultOf({ ...whole, expect: [grader] }, checking),
  }));
  const sound = graders.filter(({ fault }) => fault === null).map(({ grader }) => grader);
  const made = { ...whole, expect: sound };
  if (sound.length === 0 || sound.length === graders.length || faultOf(made, checking) !== null) return null;
  const unsound = graders.flatMap(({ grader, fault }) =>
    fault === null ? [] : [{ name: `grader: ${graderName(grader)}`, fault }],
  );
  return { case: made, unsound };
}
