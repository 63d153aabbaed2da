/** Relays connections in the network namespace that it is started in. Its argument is the list of relays as JSON. */
import { type Relay, startRelay } from '../relay.ts';

// Written by `startRelays`.
const relays = JSON.parse(process.argv[2] ?? '[]') as readonly Relay[];
await Promise.all(relays.map(startRelay));
console.log('relaying');
setInterval(() => undefined, 60_000);
