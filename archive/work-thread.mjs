/** Begins `work-thread.ts`: a thread does not take over how its process reads TypeScript. */

import { register } from 'tsx/esm/api';

register();
await import('./work-thread.ts');
