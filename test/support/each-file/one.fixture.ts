import { it } from 'vitest';
import { noteViolations } from '../violations.ts';

it('receives what the interface description does not say', () => noteViolations(['one']));
