/** Hears what a hub answers over a long time: holds each answer to the hub's document and to its time, and counts. */
import { holdToDocument } from './hold-to-document.ts';

export interface Hearing {
  /** @param path without its query */
  readonly hear: (method: string, path: string, response: Response, text: string, tookMs: number) => void;
  /** One more thing that is wrong. */
  readonly complain: (fault: string) => void;
  /** What was wrong, the first few of it. */
  readonly broken: readonly string[];
  /** How often each refusal was given, by its code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly answers: number;
  readonly slowestMs: number;
}

const keptFaultsMax = 20;
const faultShownMax = 600;

/** @param answerMaxMs an answer that takes longer is a fault */
export function createHearing(answerMaxMs: number): Hearing {
  const hold = holdToDocument();
  const refused: Record<string, number> = {};
  const broken: string[] = [];
  let answers = 0;
  let slowestMs = 0;
  const complain = (fault: string): void => {
    if (broken.length < keptFaultsMax) broken.push(fault.slice(0, faultShownMax));
  };
  return {
    hear: (method, path, response, text, tookMs) => {
      answers += 1;
      slowestMs = Math.max(slowestMs, Math.round(tookMs));
      const { status, headers } = response;
      const isJson = (headers.get('content-type') ?? '').startsWith('application/json');
      const body = isJson && text !== '' ? JSON.parse(text) : null;
      if (status >= 400) refused[body?.error] = (refused[body?.error] ?? 0) + 1;
      if (tookMs > answerMaxMs) complain(`${method} ${path} took ${Math.round(tookMs)} ms: ${status}`);
      try {
        hold(method, path, { status, headers, text, body });
      } catch (error) {
        complain(String(error));
      }
    },
    complain,
    broken,
    refused,
    get answers() {
      return answers;
    },
    get slowestMs() {
      return slowestMs;
    },
  };
}
