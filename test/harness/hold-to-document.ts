/**
 * Checks every response of a test hub against its OpenAPI document, and records which documented responses
 * the run has seen for `test/conformance/after-full-run.ts`.
 */
import { appendFileSync } from 'node:fs';
import type { Endpoint } from '#api/endpoint.ts';
import { hubEndpoints } from '#api/routes.ts';
import { documentedAnswersOf, documentOf, type GivenAnswer } from './documented-answers.ts';

/** A file that all processes of a run share. Without it, nothing is recorded. */
const seenFile = process.env['TEST_SEEN_ANSWERS'];

const seen = new Set<string>();

/** @throws Error if the document does not allow the response */
export type HoldToDocument = (method: string, path: string, answer: GivenAnswer) => void;

/**
 * @param endpoints the hub's own by default; responses of others are recorded only if their documents are
 * equal
 */
export function holdToDocument(endpoints: readonly Endpoint[] = hubEndpoints): HoldToDocument {
  const documented = documentedAnswersOf(endpoints);
  const isTheHubs =
    endpoints === hubEndpoints || Bun.deepEquals(documentOf(endpoints), documentOf(hubEndpoints));
  return (method, path, answer) => {
    const name = documented.identify(method, path, answer);
    if (name === null || !isTheHubs || seen.has(name)) return;
    seen.add(name);
    // Appends of short lines are atomic across processes.
    if (seenFile !== undefined) appendFileSync(seenFile, `${name}\n`);
  };
}
