/**
 * Holds every answer that a test hub gives to the hub's OpenAPI document, and notes which documented answers the run has
 * seen, so that `test/after/` can tell which it has not.
 */
import { appendFileSync } from 'node:fs';
import type { Endpoint } from '#api/endpoint.ts';
import { hubEndpoints } from '#api/routes/index.ts';
import { documentedAnswersOf, documentOf, type GivenAnswer } from './documented-answers.ts';

/** Names the file, which all processes of a run share; nothing is noted where it is not set. */
const seenFile = process.env['TEST_SEEN_ANSWERS'];

const seen = new Set<string>();

/** @throws Error when the answer is outside of the document */
export type HoldToDocument = (method: string, path: string, answer: GivenAnswer) => void;

/** @param endpoints the hub's own when left out; the answers of others count for nothing, unless they are documented alike */
export function holdToDocument(endpoints: readonly Endpoint[] = hubEndpoints): HoldToDocument {
  const documented = documentedAnswersOf(endpoints);
  const isTheHubs =
    endpoints === hubEndpoints || Bun.deepEquals(documentOf(endpoints), documentOf(hubEndpoints));
  return (method, path, answer) => {
    const name = documented.identify(method, path, answer);
    if (name === null || !isTheHubs || seen.has(name)) return;
    seen.add(name);
    // Short lines that are appended do not mix, whichever process writes them.
    if (seenFile !== undefined) appendFileSync(seenFile, `${name}\n`);
  };
}
