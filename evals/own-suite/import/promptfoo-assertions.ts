/** Converts the assertions of a promptfoo configuration to graders. */
import type { GraderSpec } from '../document.ts';
import type { Path } from '../fault.ts';
import { maxCombinatorDepth } from '../limits.ts';
import { type Lose, tagFrom } from './imported.ts';
import { type Fields, isFields } from '../exact-json.ts';
import { isJudged, placed } from './imported-judges.ts';
import { constructOf, isFile, type Place, whyLacking } from './promptfoo-constructs.ts';
import { valueFrom } from './promptfoo-files.ts';
import type { Filler } from '../filler.ts';
import { lose, type Source } from './promptfoo-source.ts';

/** The graders of an assertion, of which there is at most one; the rest is named in what is lost. */
export function gradersOf(assertion: unknown, place: Place): readonly GraderSpec[] {
  const { path, source, filler } = place;
  // A set may refer to templates that are sets, so that few lines stand for many assertions.
  source.budget.spend('parts', 1, path, 'assert');
  const given = source.resolve(assertion);
  if (!isFields(given) || typeof given['type'] !== 'string')
    return leaveOut(place, 'assert', 'It has no type.');
  const type = given['type'];
  // A set that weighs nothing still fails a test that passes with all of its assertions.
  if (given['weight'] === 0 && (type !== 'assert-set' || place.hasThreshold)) {
    lose(source, [...path, 'weight'], `assert: ${type} with weight`, weighsNothing);
    return [];
  }
  if (type === 'assert-set') return setOf(given, place);
  const negated = type.startsWith('not-');
  // The measure of `similar`, such as `similar:cosine`, is of embeddings.
  const plain = type.replace(/^not-/, '').replace(/^similar:.*/, 'similar');
  const construct = constructOf(plain);
  if (construct === undefined) return leaveOut(place, `assert: ${type}`, whyLacking(plain));
  if (!keepsReply(given['transform']))
    return leaveOut(place, `assert: ${type} with transform`, 'Graders read the reply as it is.', 'transform');
  const { loses = { provider: noSuchField, config: noSuchField }, isCode = false } = construct;
  for (const [field, why] of Object.entries(loses))
    if (given[field] !== undefined) lose(source, [...path, field], `assert: ${type} with ${field}`, why);
  const value =
    isCode && typeof given['value'] === 'string' && isFile(given['value'])
      ? { filled: given['value'] }
      : valueOf(given['value'], filler, type, path, source);
  const spec = value === null ? null : construct.make(value.filled, given, place);
  if (spec === null)
    return leaveOut(place, `assert: ${type}`, construct.needs ?? 'Its value has no counterpart.');
  if (construct.isScored === true && place.hasThreshold)
    lose(
      source,
      path,
      `assert: ${type}`,
      'It counts in full or not at all towards the threshold of its test.',
    );
  if (construct.unlike !== undefined) lose(source, path, `assert: ${type}`, construct.unlike);
  const { line, file } = { line: source.lineOf(path), file: source.file };
  const graded = placed(spec, { line, file, construct: `assert: ${type}` });
  return [{ ...graded, ...(negated && !isCode ? { not: true } : {}), ...marksOf(given, place) }];
}

const noSuchField = 'A grader has no such field.';
const weighsNothing = 'It is left out: an assertion that weighs nothing cannot fail a test.';
const maxWeight = 1_000;

function leaveOut(
  { path, source, lost }: Place,
  construct: string,
  why: string,
  ...keys: Path
): readonly GraderSpec[] {
  lose(source, [...path, ...keys], construct, why);
  lost.push(construct);
  return [];
}

/** Whether a transformation leaves what graders read: they trim replies by themselves. */
export function keepsReply(transform: unknown): boolean {
  return transform === undefined || (typeof transform === 'string' && trims.test(transform.trim()));
}

const trims = /^(?:return\s+)?(?:output|String\(output\))(?:\.trim(?:Start|End)?\(\))?;?$/;

/** The weight and the metric of an assertion. */
function marksOf({ type, weight = 1, metric }: Fields, { path, source, filler, depth }: Place): GraderSpec {
  const told: Lose = (construct, why) => lose(source, [...path, 'metric'], construct, why);
  const weighs = typeof weight === 'number' && weight > 0 && weight <= maxWeight;
  if (!weighs)
    lose(
      source,
      [...path, 'weight'],
      `assert: ${String(type)} with weight`,
      `A weight is above 0 and at most ${maxWeight}.`,
    );
  const [name] = typeof metric === 'string' ? tagFrom(filler.fill(metric) ?? metric, told, 'metric') : [];
  if (name !== undefined && depth > 0)
    told(`assert: ${String(type)} with metric`, 'Metrics are of whole sets, not of the assertions in them.');
  return {
    ...(weighs && weight !== 1 ? { weight } : {}),
    ...(name !== undefined && depth === 0 ? { metric: name } : {}),
  };
}

/** The value with its variables filled in and files in place of their names; null if that is not known. */
function valueOf(
  value: unknown,
  filler: Filler,
  type: string,
  path: Path,
  source: Source,
): { readonly filled: unknown } | null {
  if (value === undefined || value === null) return { filled: undefined };
  const one = (each: unknown): unknown =>
    typeof each !== 'string'
      ? each
      : isFile(each)
        ? valueFrom(each, `assert: ${type}`, path, source)
        : (filler.fill(each) ?? undefined);
  const filled: unknown = Array.isArray(value) ? value.map(one) : one(value);
  return filled === undefined || (Array.isArray(filled) && filled.includes(undefined)) ? null : { filled };
}

/** A set passes with all of its assertions, or with the share that its threshold says, by their weights. */
function setOf(given: Fields, place: Place): readonly GraderSpec[] {
  const { path, depth, hasThreshold, source } = place;
  if (depth >= maxCombinatorDepth)
    return leaveOut(place, 'assert-set', `Sets must be at most ${maxCombinatorDepth} deep.`);
  const own: readonly unknown[] = Array.isArray(given['assert']) ? given['assert'] : [];
  const lost: string[] = [];
  const parts = own.flatMap((each, at) =>
    gradersOf(each, { ...place, lost, depth: depth + 1, path: [...path, 'assert', at] }),
  );
  const { threshold } = given;
  // The share of a set that counts in part is the mean of its assertions, whatever its threshold is.
  const share = hasThreshold ? 1 : typeof threshold === 'number' && threshold < 1 ? threshold : undefined;
  if (parts.length === 0 && lost.length === 0) {
    lose(source, path, 'assert-set', 'It has no assertions.');
    return [];
  }
  if (share !== undefined && share <= 0)
    return leaveOut(place, 'assert-set', 'Its threshold passes every reply.', 'threshold');
  if (share !== undefined && lost.length > 0)
    return leaveOut(place, 'assert-set', 'Not all of its assertions have a counterpart.');
  place.lost.push(...lost);
  const hasJudges = parts.some(isJudged);
  if (share !== undefined && hasJudges)
    return leaveOut(place, 'assert-set', 'Judges have no counterpart in a set of which some must pass.');
  const marks = marksOf(given, place);
  if (given['config'] !== undefined) lose(source, [...path, 'config'], 'assert-set with config', noSuchField);
  if (share !== undefined) return [{ any: parts, at_least: share, ...marks }];
  // Judges stand outside of sets. A case passes with all of its graders.
  if (hasJudges) return parts.map((part) => ({ ...part, ...marks }));
  // Where all must pass, no weight matters.
  const unweighted = parts.map(({ weight: _weight, ...part }) => part);
  return parts.length === 0 ? [] : [{ all: unweighted, ...marks }];
}
