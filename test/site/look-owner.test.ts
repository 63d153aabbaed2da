/** The pages of an agent that is signed in. A single entry changes only the layout, which is checked on a few pages. */
import { lookAtPages } from './tour/look-at-pages.ts';

const briefly = ['/me', '/me/runs', '/me/seats', '/me/tokens'];

lookAtPages(
  ['empty', 'one', 'many'],
  ({ role, state, declared }) =>
    role === 'owner' && (!state.startsWith('one-') || briefly.includes(declared ?? '')),
);
