/** Disturbances of the network between a hub and its Redis or Postgres. */
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import type { HubUnderTest } from '../hub-under-test.ts';
import type { Disturbance } from './disturbance.ts';

type Server = 'Redis' | 'Postgres';

function gateTo(server: Server, { redis, store }: HubUnderTest): TcpGate {
  const gate = server === 'Redis' ? redis.single?.gate : store.postgres?.gate;
  if (gate === null || gate === undefined)
    throw new Error(`The hub does not reach ${server} through a gate.`);
  return gate;
}

/** @param start returns how to end it */
function onGate(server: Server, name: string, start: (gate: TcpGate) => () => void): Disturbance {
  return {
    name,
    start: async (hub) => {
      const end = start(gateTo(server, hub));
      return async () => end();
    },
  };
}

export const cutConnections = (to: Server): Disturbance =>
  onGate(to, `connections to ${to} cut`, (gate) => {
    gate.cut();
    return () => undefined;
  });

export const stallNetwork = (to: Server): Disturbance =>
  onGate(to, `${to} stalled`, (gate) => {
    gate.stall();
    return gate.resume;
  });

export const losePackets = (to: Server): Disturbance =>
  onGate(to, `everything sent to ${to} lost`, (gate) => {
    gate.lose();
    return gate.find;
  });

export const delayPackets = (to: Server, byMs: number): Disturbance =>
  onGate(to, `${to} slow by ${byMs} ms each way`, (gate) => {
    gate.delay(byMs);
    return () => gate.delay(0);
  });

export const splitPackets = (to: Server): Disturbance =>
  onGate(to, `traffic with ${to} split into single bytes`, (gate) => {
    gate.split(1);
    return () => gate.split(Infinity);
  });
