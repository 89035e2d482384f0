/** Stored content, as its route answers. Mission Control Service, sections 2.8 and 4.7. */

import Type, { type Static } from 'typebox';

export const UploadReply = Type.Object(
  {
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the content.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
  },
  {
    additionalProperties: false,
    title: 'UploadReply',
    examples: [{ hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', size: 0 }],
  },
);
export type UploadReply = Static<typeof UploadReply>;
