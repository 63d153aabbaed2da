/** Prepares requests, and has the load generator's process run rounds of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../processes/start-child.ts';
import type { LoadOrder, LoadReport } from './load-protocol.ts';

/** In most measures. */
export const connections = 64;

/** Requests in a file. */
export type PreparedRequests = Pick<LoadOrder, 'requestsFile' | 'requestBytes'> & { readonly count: number };

export type RoundOrder = Pick<LoadOrder, 'port' | 'repeat' | 'maxMs'> & {
  readonly requests: PreparedRequests;
  /** {@link connections} by default. */
  readonly connections?: number;
};

export interface LoadGenerator {
  /** @throws if a request was refused or got no response */
  run(order: RoundOrder): Promise<LoadReport>;
  stop(): Promise<void>;
}

export async function startLoadGenerator(folder: string): Promise<LoadGenerator> {
  const child = await startChild({
    command: [process.execPath, 'bench/children/load-generator.ts'],
    logFile: join(folder, 'load-generator.log'),
  });
  return {
    run: async ({ requests, ...order }) => {
      const { requestsFile, requestBytes } = requests;
      const { report } = await child.ask({ connections, ...order, requestsFile, requestBytes });
      const load = report as LoadReport; // The child sends nothing else, see `children/load-generator.ts`.
      if (load.faults > 0) throw new Error(`${load.faults} requests failed. The first:\n${load.firstFault}`);
      return load;
    },
    stop: () => child.stop(),
  };
}

/** Makes all requests equally long, so that the load generator can find each by its offset. */
export function prepareRequests(file: string, requests: readonly string[]): PreparedRequests {
  const longest = requests.reduce((most, request) => Math.max(most, Buffer.byteLength(request)), 0);
  const requestBytes = padHeader.length + longest;
  writeFileSync(file, requests.map((request) => padded(request, requestBytes)).join(''));
  return { requestsFile: file, requestBytes, count: requests.length };
}

const padHeader = 'Pad: \r\n';

function padded(request: string, bytes: number): string {
  const pad = '-'.repeat(bytes - padHeader.length - Buffer.byteLength(request));
  return request.replace('\r\n', `\r\nPad: ${pad}\r\n`);
}

export function getRequest(path: string, bearerToken: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bearerToken}\r\nAccept: application/json\r\n\r\n`;
}

export function postRequest(path: string, bearerToken: string, body: object): string {
  return post(path, `Authorization: Bearer ${bearerToken}\r\n`, body);
}

/** For callers without a token. */
export function publicPostRequest(path: string, body: object): string {
  return post(path, '', body);
}

function post(path: string, authorization: string, body: object): string {
  const json = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}
