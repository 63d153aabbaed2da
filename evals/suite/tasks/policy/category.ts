import type { Category } from '../../task.ts';
import { publicDesks } from './desk.ts';
import { policyKinds } from './requests.ts';

export const category: Category = {
  name: 'policy',
  description:
    'Deciding 3 to 20 requests by a manual of 5 to 40 pages with exceptions, amendments and files that contradict each other.',
  kinds: policyKinds(publicDesks),
};
