/** The hub under fuzzing: a separate process that reports its memory over IPC and serves HTTP. */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import type { Caller } from './requests.ts';

export type FuzzHubQuestion = 'weigh' | 'renew' | 'end';
export type FuzzHubAnswer =
  | { readonly kind: 'ready'; readonly url: string; readonly credentials: Credentials }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | { readonly kind: 'weight'; readonly heapMb: number; readonly rssMb: number };

/** The bearer token of each caller; null for none. */
export type Credentials = Readonly<Record<Caller, string | null>>;

export type FuzzHub = Awaited<ReturnType<typeof startFuzzHub>>;

/** Includes the start of Redis and the creation of the agents. */
const readyTimeoutMs = 60_000;

export async function startFuzzHub(setting: DatabaseSetting) {
  let heard = Promise.withResolvers<FuzzHubAnswer>();
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, 'hub.ts'), JSON.stringify(setting)], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (answer: FuzzHubAnswer) => heard.resolve(answer),
    onExit: () => heard.reject(new Error('The hub under fuzzing has exited.')),
  });
  const giveUp = (): void => heard.reject(new Error('The hub under fuzzing did not start.'));
  const late = setTimeout(giveUp, readyTimeoutMs);
  const ready = await heard.promise.finally(() => clearTimeout(late));
  if (ready.kind !== 'ready') throw new Error('The first message of the hub must be `ready`.');
  let { credentials } = ready;
  let asked: Promise<unknown> = Promise.resolve();
  /** In sequence, because a reply does not name its question. */
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
    /** Issues a new token for each caller that has one. */
    renewCredentials: async () => {
      const renewed = await ask('renew');
      if (renewed.kind === 'credentials') credentials = renewed.credentials;
    },
    /** The memory of the hub's process after a garbage collection. */
    weigh: async () => {
      const weight = await ask('weigh');
      if (weight.kind !== 'weight') throw new Error('The reply must be the weight of the hub.');
      return weight;
    },
    end: async () => {
      // The exit is expected.
      ask('end').catch(() => {});
      await child.exited;
    },
  };
}
