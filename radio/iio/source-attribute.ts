/** Name of the attribute by which a context that is served says where its numbers come from; a real board has none. */
export const SOURCE_ATTRIBUTE = 'bench,source';
