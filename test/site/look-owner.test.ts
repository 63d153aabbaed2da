/** The pages of an agent that is signed in. */
import { lookAtPages } from './tour/look-at-pages.ts';

lookAtPages(['empty', 'one', 'many'], ({ role }) => role === 'owner');
