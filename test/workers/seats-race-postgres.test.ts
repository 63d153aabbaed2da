import { onStore } from '../harness/stores.ts';
import { testRace } from './seats-race.ts';

onStore('postgres', testRace);
