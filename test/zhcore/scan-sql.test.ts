import { describe, expect, it } from 'vitest';
import { outline } from '../../src/code/index.js';
import { proposalFor, scanTexts } from './scan-support.js';

const sql = (lines: string[]) => `${lines.join('\n')}\n`;

describe('comments of tables and columns', () => {
  it.each([
    [
      'PostgreSQL',
      [
        "COMMENT ON TABLE public.oms_cart IS '购物车表';",
        'COMMENT ON COLUMN public.oms_cart.ship_fee IS',
        "  '运费金额';",
      ],
    ],
    [
      'Oracle and DM',
      [
        'comment on table "SHOP"."oms_cart"',
        "  is '购物车表'",
        '/',
        "comment on column oms_cart.ship_fee is '运费金额'",
      ],
    ],
    [
      'SQL Server by position',
      [
        "EXEC sys.sp_addextendedproperty N'MS_Description', N'购物车表', N'SCHEMA', N'dbo', N'TABLE', N'oms_cart'",
        'GO',
        "exec sp_addextendedproperty 'MS_Description', '运费金额', 'user', dbo, 'table', [oms_cart], 'column', 'ship_fee'",
      ],
    ],
    [
      'SQL Server by name',
      [
        "EXEC sp_addextendedproperty @name=N'MS_Description', @value=N'购物车表',",
        "  @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'oms_cart';",
        "EXEC sys.sp_updateextendedproperty @level1type=N'TABLE', @level1name=N'oms_cart', @level2type=N'COLUMN',",
        "  @level2name=N'ship_fee', @name=N'MS_Description', @value=N'运费金额'",
      ],
    ],
    [
      'MySQL, changed later',
      [
        'ALTER TABLE `oms_cart` COMMENT = "购物车表";',
        "ALTER TABLE oms_cart ADD INDEX idx_a (a), MODIFY COLUMN id bigint, CHANGE fee `ship_fee` decimal(10, 2) NOT NULL COMMENT '运费金额';",
      ],
    ],
  ])('are found without the table: %s', async (_name, lines) => {
    const text = sql(lines);
    const result = await scanTexts({
      'db/comments.sql': text,
      'src/OmsCart.java': 'package a;\npublic class OmsCart {}\n',
    });
    const lineOf = (word: string) => text.split('\n').findIndex((line) => line.includes(word)) + 1;
    const cart = proposalFor(result, '购物车');
    expect(cart.code_symbols).toEqual(expect.arrayContaining(['oms_cart', 'OmsCart']));
    expect(cart.evidence).toEqual([{ file: 'db/comments.sql', line: lineOf('购物车'), kind: 'sql', text: '购物车表' }]);
    const fee = proposalFor(result, '运费金额');
    expect(fee.code_symbols).toEqual(['oms_cart.ship_fee']);
    expect(fee.evidence[0]).toMatchObject({ line: lineOf('运费金额') });
  });

  it('join the table that another file defines', async () => {
    const result = await scanTexts({
      'db/1-tables.sql': 'CREATE TABLE oms_cart (id bigint, ship_fee numeric);\n',
      'db/2-comments.sql':
        "COMMENT ON TABLE oms_cart IS '购物车表';\nCOMMENT ON COLUMN oms_cart.ship_fee IS '运费金额';\n",
    });
    expect(proposalFor(result, '购物车')).toMatchObject({
      code_symbols: ['oms_cart'],
      evidence: [{ file: 'db/2-comments.sql', line: 1 }],
    });
    expect(proposalFor(result, '运费金额').code_symbols).toEqual(['oms_cart.ship_fee']);
  });

  it('are quoted where they stand, below the names that they explain', async () => {
    const text = sql([
      'CREATE TABLE oms_cart (',
      '  id bigint,',
      '  ship_fee decimal(10, 2)',
      "    COMMENT '运费金额',",
      '  note varchar(20) COMMENT "买家说的, 不是 (卖家) -- 留言"',
      ')',
      "COMMENT = '购物车表';",
    ]);
    const { symbols } = await outline('a.sql', text);
    expect(symbols.map(({ name, doc, line, docLine }) => [name, doc, line, docLine])).toEqual([
      ['oms_cart', '购物车表', 1, 7],
      ['id', undefined, 2, undefined],
      ['ship_fee', '运费金额', 3, 4],
      ['note', '买家说的, 不是 (卖家) -- 留言', 5, undefined],
    ]);
    const result = await scanTexts({ 'a.sql': text });
    expect(proposalFor(result, '购物车').evidence[0]?.line).toBe(7);
    expect(proposalFor(result, '运费金额').evidence[0]?.line).toBe(4);
  });

  it('that are commented out, of other properties or of nothing say nothing', async () => {
    const { remarks } = await outline(
      'a.sql',
      sql([
        "-- COMMENT ON TABLE a IS '一';",
        "/* COMMENT ON TABLE a IS '二'; */",
        "EXEC sp_addextendedproperty N'Caption', N'三', N'SCHEMA', N'dbo', N'TABLE', N'a'",
        "EXEC sp_addextendedproperty N'MS_Description', @text, N'SCHEMA', N'dbo', N'TABLE', N'a'",
        "EXEC sp_addextendedproperty N'MS_Description', N'四', N'SCHEMA', N'dbo', N'PROCEDURE', N'a'",
        "EXEC sp_addextendedproperty N'MS_Description', N'五'",
        "COMMENT ON COLUMN b IS '六';",
        'COMMENT ON TABLE a IS NULL;',
        "COMMENT ON TABLE a IS '';",
        'EXEC sp_addextendedproperty',
      ]),
    );
    expect(remarks).toBeUndefined();
  });
});
