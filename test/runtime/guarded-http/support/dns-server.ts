/**
 * A small DNS server on loopback that gives the responses a test wants, and a resolver that uses it. It
 * handles A and AAAA queries over UDP, which is all that a host lookup needs.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import type { ResolveHost } from '#runtime/guarded-http/resolve-host.ts';

/** The addresses of a name; the server selects those of the requested family. Strings stand for failures. */
export type Zone = (name: string, lookup: number) => readonly string[] | 'unknown' | 'broken' | 'silent';

export interface DnsServer extends AsyncDisposable {
  readonly resolve: ResolveHost;
  /** The number of queries received so far. */
  readonly questions: number;
}

/**
 * `lookup` counts the lookups made through `resolve` from 1, so that a zone can change between two of them.
 * The resolver caches that a name has no address of a family, so a zone may change addresses but not add a
 * family.
 */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  let questions = 0;
  let lookups = 0;
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    questions += 1;
    const answer = answerTo(query, (name) => zone(name, lookups));
    if (answer !== null) socket.send(answer, peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 5_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    async resolve(hostname) {
      lookups += 1;
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const failure = answers.find((answer) => answer.status === 'rejected');
      if (addresses.length === 0 && failure !== undefined) throw failure.reason;
      return addresses;
    },
    get questions() {
      return questions;
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel();
      await new Promise<void>((closed) => socket.close(closed));
    },
  };
}

const noError = 0;
const serverFailure = 2;
const nameError = 3;
const typeA = 1;
const typeAaaa = 28;

function answerTo(query: Buffer, addressesOf: (name: string) => ReturnType<Zone>): Buffer | null {
  const { name, type, end } = readQuestion(query);
  const found = addressesOf(name);
  if (found === 'silent') return null;
  const question = query.subarray(12, end);
  if (found === 'unknown') return Buffer.concat([header(query, nameError, 0), question]);
  if (found === 'broken') return Buffer.concat([header(query, serverFailure, 0), question]);
  const version = type === typeA ? 4 : type === typeAaaa ? 6 : 0;
  const records = found
    .filter((address) => isIP(address) === version)
    .map((address) => record(address, type));
  return Buffer.concat([header(query, noError, records.length), question, ...records]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 };
}

function header(query: Buffer, code: number, answers: number): Buffer {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  return head;
}

/** The name is a pointer to the question; the TTL is zero, as a rebinding attacker would set it. */
function record(address: string, type: number): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
