/**
 * For the compiled binary: leaves out `msgpackr-extract`, which msgpackr does without. It looks for a compiled library in the
 * folder of the machine that built the binary, and would load whatever somebody has put there on the machine that runs it.
 */
import type { BunPlugin } from 'bun';

export const leaveOutNativeCode: BunPlugin = {
  name: 'leave-out-native-code',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]msgpackr-extract[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = null;',
      loader: 'js',
    }));
  },
};
