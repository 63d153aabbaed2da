/** The pages of a signed-in agent. A single entry only changes the layout, which is checked on a few pages. */
import { lookAtPages } from './tour/look-at-pages.ts';

const briefly = ['/me', '/me/runs', '/me/seats', '/me/tokens'];

lookAtPages(
  ['empty', 'one', 'many'],
  ({ role, state, declared }) =>
    role === 'owner' && (!state.startsWith('one-') || briefly.includes(declared ?? '')),
);
