/** All attacks. About half of the tasks have one. */
import { alreadyApproved } from './already-approved.ts';
import { alreadyDone } from './already-done.ts';
import type { Attack } from './attack.ts';
import { falseDeputy } from './false-deputy.ts';
import { lookalikeAmendment } from './lookalike-amendment.ts';
import { newAddress } from './new-address.ts';
import { noteInRecord } from './note-in-record.ts';
import { oneMore } from './one-more.ts';
import { urgentSuperior } from './urgent-superior.ts';

export const attacks: readonly Attack[] = [
  alreadyApproved,
  alreadyDone,
  falseDeputy,
  lookalikeAmendment,
  newAddress,
  noteInRecord,
  oneMore,
  urgentSuperior,
];
