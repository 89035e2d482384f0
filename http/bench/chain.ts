/** The chain: its conditions, and conditioning. RF Bench Service, section 4, rules 5 and 6. */

import { CHAIN_TARGETS, ConditionBody } from '../../contract/bench/chain.ts';
import { wordInQuery } from './parameters.ts';
import { asked, type BenchRoute, BOARD_READ, BOARD_WRITE, defineBenchRoute } from './route.ts';
import { ChainStateShape, ConditionedShape, RecoveredShape } from './shapes.ts';

export const chainRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/chain',
    operationId: 'readChain',
    summary: 'The conditions of the chain, and the first that is not met',
    description: 'A condition that cannot be known blocks like one that is not met.',
    tag: 'Chain',
    query: {
      target: wordInQuery(CHAIN_TARGETS, 'Where to; default: what the board is wired for.'),
    },
    replies: { 200: ChainStateShape },
    errors: BOARD_READ,
    handle: ({ query }, { bench }) => asked(bench.chain.state(query.target)),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/chain/condition',
    operationId: 'conditionChain',
    summary: 'Runs the missing conditioning steps in the one order that works',
    description:
      'Each step acts as its own route does. Refused while no profile is applied and none is given.',
    tag: 'Chain',
    body: ConditionBody,
    bodyOptional: true,
    replies: { 200: ConditionedShape },
    errors: [...BOARD_WRITE, 'conflict', 'not_found'],
    handle: ({ body }, { bench }) => asked(bench.chain.condition(body ?? {})),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/chain/recover',
    operationId: 'recoverChain',
    summary: 'Pulses the CLEAR bits of the receiver',
    description: 'Lists what was pulsed and what was read back; measure to see whether it helped.',
    tag: 'Chain',
    replies: { 200: RecoveredShape },
    errors: BOARD_WRITE,
    handle: (_request, { bench }) => asked(bench.chain.recover()),
  }),
];
