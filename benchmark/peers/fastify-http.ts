/** Beside the HTTP rows: the same routes, schemas and bytes on fastify, for those who know it. */

import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { TcReply, TcRequest } from '../../contract/telecommand.ts';
import { CurrentValues } from '../../contract/value.ts';
import { answerCalls } from '../peer-side.ts';

interface Answers {
  readonly answer: string;
  readonly accepted: string;
}

async function start({ answer, accepted }: Answers): Promise<number> {
  const values = JSON.parse(answer) as object;
  const reply = JSON.parse(accepted) as object;
  const server = fastify();
  server.get(
    '/v1/targets/:target/values',
    { schema: { response: { 200: CurrentValues } } },
    async () => values,
  );
  server.post(
    '/v1/tc',
    { schema: { body: TcRequest, response: { 202: TcReply } } },
    async (_request, answering) => {
      answering.code(202);
      return reply;
    },
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

answerCalls({ start });
