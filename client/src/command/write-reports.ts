/** Writes the report of a run where the flags say, and its conversations to a file or a collector of traces. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { HubError } from '../hub-error.ts';
import { send } from '../send.ts';
import { explain, NotPossible } from './connection.ts';
import type { Options } from './options.ts';
import { shown, shownJson } from './printed.ts';
import type { Report } from './run.ts';

/** By the outcome of a report. */
export const exitCodes = { held: 0, fell_short: 1, not_possible: 2 } as const;

const noOutcome =
  'The report does not say whether the bars held. Check that nothing between this machine and the hub changes it.';

/** @param read returns the report of the hub in a format */
export async function report(
  { junit, markdown, json }: Options,
  summaryFile: string | undefined,
  read: (format: string) => Promise<string>,
): Promise<Report['outcome']> {
  const decided = JSON.parse(await read('json')) as Report;
  if (!Object.hasOwn(exitCodes, decided.outcome)) throw new NotPossible(noOutcome);
  if (junit !== undefined) {
    const xml = await read('junit');
    writeReport('junit', junit, () => writeFileSync(junit, xml));
  }
  if (markdown !== undefined || summaryFile) {
    const text = await read('markdown');
    if (markdown !== undefined) writeReport('markdown', markdown, () => writeFileSync(markdown, text));
    // GitHub collects what the steps of a job append.
    if (summaryFile) writeReport('markdown', summaryFile, () => appendFileSync(summaryFile, text));
  }
  if (json) printJson(decided);
  else process.stdout.write(shown(await read('text')));
  return decided.outcome;
}

export function isEndpoint(destination: string): boolean {
  return /^https?:\/\//.test(destination);
}

export async function writeTrace(
  destination: string,
  exported: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  if (!isEndpoint(destination))
    return writeReport('trace', destination, () => writeFileSync(destination, exported));
  const url = new URL(destination);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  const request = { method: 'POST', url: url.href, token: null, headers, signal } as const;
  for (const body of exported.split('\n').filter((line) => line !== '')) {
    await send({ ...request, body, contentType: 'application/json' }).catch((error: unknown) => {
      const why = error instanceof HubError ? `It responded with status ${error.status}.` : explain(error);
      throw new NotPossible(`The run has ended, but --trace ${url.href} failed. ${why}`);
    });
  }
}

export function writeReport(flag: string, path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new NotPossible(`--${flag}: ${path} cannot be written: ${explain(error)}.`);
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${shownJson(value)}\n`);
}
