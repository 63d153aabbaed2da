/** Disturbances of the network between a hub and its Redis or Postgres. */
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import type { HubUnderTest } from '../hub-under-test.ts';
import { type Disturbance, nothingToEnd } from './disturbance.ts';

type Server = 'Redis' | 'Postgres';

function gateTo(server: Server, { redis, store }: HubUnderTest): TcpGate {
  const gate = server === 'Redis' ? redis.single?.gate : store.postgres?.gate;
  if (gate === null || gate === undefined)
    throw new Error(`The hub does not reach ${server} through a gate.`);
  return gate;
}

function onGate(
  server: Server,
  name: string,
  start: (gate: TcpGate) => void,
  end?: (gate: TcpGate) => void,
): Disturbance {
  return {
    name,
    start: async (hub) => {
      const gate = gateTo(server, hub);
      start(gate);
      return end === undefined ? nothingToEnd : async () => end(gate);
    },
  };
}

export const cutConnections = (to: Server): Disturbance =>
  onGate(to, `connections to ${to} cut`, (gate) => gate.cut());

export const stallNetwork = (to: Server): Disturbance =>
  onGate(
    to,
    `${to} stalled`,
    (gate) => gate.stall(),
    (gate) => gate.resume(),
  );

export const losePackets = (to: Server): Disturbance =>
  onGate(
    to,
    `everything sent to ${to} lost`,
    (gate) => gate.lose(),
    (gate) => gate.find(),
  );

export const delayPackets = (to: Server, byMs: number): Disturbance =>
  onGate(
    to,
    `${to} slow by ${byMs} ms each way`,
    (gate) => gate.delay(byMs),
    (gate) => gate.delay(0),
  );

export const splitPackets = (to: Server): Disturbance =>
  onGate(
    to,
    `traffic with ${to} split into single bytes`,
    (gate) => gate.split(1),
    (gate) => gate.split(Infinity),
  );
