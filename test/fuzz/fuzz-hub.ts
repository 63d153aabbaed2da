/** The hub that is fuzzed: a process of its own, asked for its memory over IPC and for everything else over HTTP. */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import type { Caller } from './requests.ts';

export type FuzzHubQuestion = 'weigh' | 'renew' | 'end';
export type FuzzHubAnswer =
  | { readonly kind: 'ready'; readonly url: string; readonly credentials: Credentials }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | { readonly kind: 'weight'; readonly heapMb: number; readonly rssMb: number };

/** What each sends as its bearer token; null for nothing at all. */
export type Credentials = Readonly<Record<Caller, string | null>>;

export interface FuzzHub {
  readonly url: string;
  readonly credentials: Credentials;
  /** Gives those who have a token a new one. */
  renewCredentials(): Promise<void>;
  /** What the hub's process holds on to, with all garbage gone. */
  weigh(): Promise<{ readonly heapMb: number; readonly rssMb: number }>;
  end(): Promise<void>;
}

/** Also waits for a Redis and the agents. */
const readyTimeoutMs = 60_000;

export async function startFuzzHub(setting: DatabaseSetting): Promise<FuzzHub> {
  let heard = Promise.withResolvers<FuzzHubAnswer>();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dirname, 'children', 'hub.ts'), JSON.stringify(setting)],
    {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: (answer: FuzzHubAnswer) => heard.resolve(answer),
      onExit: () => heard.reject(new Error('The fuzzed hub has ended.')),
    },
  );
  const late = setTimeout(() => heard.reject(new Error('The hub to fuzz did not start.')), readyTimeoutMs);
  const ready = await heard.promise.finally(() => clearTimeout(late));
  if (ready.kind !== 'ready') throw new Error('The hub says first that it is ready.');
  let { credentials } = ready;
  let asked: Promise<unknown> = Promise.resolve();
  /** One after the other, as answers do not say what they answer. */
  const ask = (question: FuzzHubQuestion): Promise<FuzzHubAnswer> => {
    const answer = asked.then(() => {
      heard = Promise.withResolvers();
      child.send(question);
      return heard.promise;
    });
    asked = answer.catch(() => {});
    return answer;
  };
  return {
    url: ready.url,
    get credentials() {
      return credentials;
    },
    renewCredentials: async () => {
      const renewed = await ask('renew');
      if (renewed.kind === 'credentials') credentials = renewed.credentials;
    },
    weigh: async () => {
      const weight = await ask('weigh');
      if (weight.kind !== 'weight') throw new Error('The hub was asked for its weight.');
      return weight;
    },
    end: async () => {
      // Its exit is awaited here and is no fault any more.
      ask('end').catch(() => {});
      await child.exited;
    },
  };
}
