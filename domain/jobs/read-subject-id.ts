/** Reads from the payload of a job what the job is for, for the worker that was handed it. */
import { type JobKind, subjectOfKind } from './job-kinds.ts';

/**
 * What was announced came from a row of `enqueue`, but Redis is outside our walls.
 * @throws TypeError when the payload does not hold the id
 */
export function readSubjectId(kind: JobKind, payload: unknown): string {
  const field = subjectOfKind[kind];
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, field) : undefined;
  if (typeof id === 'string') return id;
  throw new TypeError(`The payload of a ${kind} job holds \`${field}\`.`);
}
