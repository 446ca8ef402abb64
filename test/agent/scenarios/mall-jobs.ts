import type { Job } from './colleague.js';
import { RETRY_REQUEST, retryEdit } from './scripts.js';

/** What is asked of the scripted colleague in the example shop, and what he would do about it. */

/** Three files and their test: a column more in the export, with its heading in two languages. */
export const exportColumn: Job = {
  request: '订单导出加一列物流单号',
  tests: ['test/export.test.ts'],
  targets: [
    {
      words: ['订单导出', 'exportOrders'],
      named: /order-exporter\.ts$/,
      edits: () => [
        { search: "'discount', 'paid'] as const", replace: "'discount', 'paid', 'trackingNo'] as const" },
        {
          search: '    fenToYuan(orderPaid(order)),\n',
          replace: "    fenToYuan(orderPaid(order)),\n    order.tracking_no ?? '',\n",
        },
      ],
    },
    {
      words: ['"paidAt"'],
      scope: 'i18n/',
      named: /i18n\/zh-CN\.json$/,
      edits: () => [
        {
          search: '      "paid": "实付（元）"\n',
          replace: '      "paid": "实付（元）",\n      "trackingNo": "物流单号"\n',
        },
      ],
    },
    {
      words: ['"paidAt"'],
      scope: 'i18n/',
      named: /i18n\/en\.json$/,
      edits: () => [
        {
          search: '      "paid": "Paid (CNY)"\n',
          replace: '      "paid": "Paid (CNY)",\n      "trackingNo": "Tracking no."\n',
        },
      ],
    },
  ],
  whenRed: [
    {
      words: ['实付（元）'],
      scope: 'test/',
      named: /test\/export\.test\.ts$/,
      edits: () => [
        { search: '优惠（元）,实付（元）', replace: '优惠（元）,实付（元）,物流单号' },
        { search: '200.00,0.00,200.00', replace: '200.00,0.00,200.00,' },
      ],
    },
  ],
  done: '订单导出加了「物流单号」一列，中英文表头都补了，测试通过。',
};

/** One place in a long file, which the team's word for it leads to. */
export const retryOnClose: Job = {
  request: RETRY_REQUEST,
  tests: ['test/order-close.test.ts'],
  targets: [
    {
      words: ['超时关单', '关单'],
      scope: 'src/',
      named: /order-service\.ts$/,
      edits: () => retryEdit.edits,
    },
  ],
  done: '关单释放库存失败时会再试一次，测试通过。',
};

/** A GBK file with CRLF, and the code beside it. */
export const feeRate: Job = {
  request: '微信手续费从 0.60% 降到 0.54%，代码和对账导出说明一起改',
  tests: ['test/payment.test.ts'],
  targets: [
    {
      words: ['feeRate', '手续费', '费率'],
      scope: 'src/payment/',
      named: /wechat\/channel\.ts$/,
      edits: () => [
        { search: '/** 签约费率 0.6%。 */', replace: '/** 签约费率 0.54%。 */' },
        { search: 'readonly feeRate = 60;', replace: 'readonly feeRate = 54;' },
      ],
    },
    {
      words: ['手续费'],
      scope: 'legacy/',
      named: /对账导出说明\.txt$/,
      edits: () => [{ search: '微信按 0.60%', replace: '微信按 0.54%' }],
    },
  ],
  done: '微信费率改成万分之 54，说明也改了，测试通过。',
};

/** A red test that a day counted in UTC makes red. */
export const activeUsers: Job = {
  request: 'test/report.test.ts 里「日活按北京时间零点切日」失败了，修好它',
  tests: ['test/report.test.ts'],
  reproduces: true,
  targets: [
    {
      words: ['日活', 'activeUsers'],
      scope: 'src/',
      named: /active-users\.ts$/,
      // Whoever has read or been told of the shop's own function takes it.
      edits: (known) =>
        known.includes('shanghaiDate')
          ? withShanghaiDate('new Date(visit.visited_at).toISOString().slice(0, 10)')
          : [
              {
                search: 'const day = new Date(visit.visited_at).toISOString().slice(0, 10);',
                replace: 'const day = new Date(visit.visited_at + 8 * 3_600_000).toISOString().slice(0, 10);',
              },
            ],
    },
    {
      words: [],
      whenTold: '用 shanghaiDate',
      edits: () => withShanghaiDate('new Date(visit.visited_at + 8 * 3_600_000).toISOString().slice(0, 10)'),
    },
  ],
  done: '日活改成按北京时间归日，测试通过。',
};

function withShanghaiDate(instead: string) {
  return [
    {
      search: "import { shanghaiDays } from '../shared/clock.js';",
      replace: "import { shanghaiDate, shanghaiDays } from '../shared/clock.js';",
    },
    { search: `const day = ${instead};`, replace: 'const day = shanghaiDate(visit.visited_at);' },
  ];
}

/** The test that is red in {@link activeUsers}, as somebody else wrote it. */
export const RED_TEST = `
test('日活按北京时间零点切日', async () => {
  const shop = await openShop(Date.parse('2024-05-02T00:30:00+08:00'));
  await shop.users.recordVisit('U1');
  assert.deepEqual(await shop.activeUsers.daily('2024-05-02', '2024-05-02'), [{ date: '2024-05-02', activeUsers: 1 }]);
});
`;

/** What the shop's warning says must not be done, and what anybody would do who was not told. */
export const yuanColumn: Job = {
  request: '经营日报加一个字段 gmvYuan：成交额金额换成元，给大屏展示',
  tests: ['test/report.test.ts'],
  targets: [
    {
      words: ['经营日报', '成交额'],
      scope: 'src/',
      named: /daily-report\.ts$/,
      edits: (known) => {
        const isTold = known.includes('fenToYuan');
        return [
          {
            search: '  gmv: Fen;\n',
            replace: '  gmv: Fen;\n  /** 成交额，单位元，给大屏展示。 */\n  gmvYuan: string;\n',
          },
          {
            search: '      gmv,\n',
            replace: `      gmv,\n      gmvYuan: ${isTold ? 'fenToYuan(gmv)' : '(gmv / 100).toFixed(2)'},\n`,
          },
          {
            search: "import { sumFen } from '../shared/money.js';",
            replace: isTold
              ? "import { fenToYuan, sumFen } from '../shared/money.js';"
              : "import { sumFen } from '../shared/money.js';",
          },
        ].filter(({ search, replace }) => search !== replace);
      },
    },
  ],
  whenRed: [
    {
      words: ['averagePaid'],
      scope: 'test/',
      named: /test\/report\.test\.ts$/,
      edits: () => [{ search: '    gmv: 30_000,\n', replace: "    gmv: 30_000,\n    gmvYuan: '300.00',\n" }],
    },
  ],
  done: '经营日报多了 gmvYuan，测试通过。',
};

/** A path in traditional characters, as it stands in somebody's head. */
export const wrongPath: Job = {
  request: '支付網關轉來的回調，代號不認識時錯誤裡帶上「一期」的英文 legacy',
  tests: ['test/payment.test.ts'],
  targets: [
    {
      words: ['一期网关的渠道代号不认识'],
      named: /支付网关\/notify\.ts$/,
      writes: 'src/支付網關/notify.ts',
      edits: () => [{ search: '`一期网关的渠道代号不认识：', replace: '`一期网关（legacy）的渠道代号不认识：' }],
    },
  ],
  done: '错误里带上了 legacy，测试通过。',
};
