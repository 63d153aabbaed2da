/** The pages of a signed-in agent. */
import { lookAtPages } from './tour/look-at-pages.ts';

lookAtPages(['empty', 'many'], ({ role }) => role === 'owner');
