import { describe, expect, it } from 'vitest';
import { outline } from '../../src/code/index.js';
import { lines, names, symbol } from './support.js';

describe('Vue', async () => {
  const o = await outline(
    'src/views/order/index.vue',
    lines(
      '<!-- 订单列表页 -->', // 1
      '<template>',
      '  <a-card title="订单管理" :data="rows">',
      "    <span>取消订单 {{ $t('order.cancel.title') }}</span>",
      '    <!-- 分页 -->', // 5
      '  </a-card>',
      '</template>',
      '<script>',
      "export default { name: 'OrderList' };",
      '</script>', // 10
      '<script setup lang="ts">',
      "import { ref } from 'vue';",
      '// 加载订单',
      'const load = async (page: number) => {',
      "  message.success('加载成功');", // 15
      '};',
      'function onCancel() {}',
      '</script>',
      '<style>.a::after { content: "样式"; }</style>',
    ),
  );

  it('reads both scripts with the lines of the file, and names the component', () => {
    expect(o).toMatchObject({ language: 'vue', by: 'ast', headComment: '订单列表页' });
    expect(names(o)).toEqual(['class order', 'function load', 'function onCancel']);
    expect(symbol(o, 'load')).toMatchObject({
      line: 14,
      endLine: 16,
      doc: '加载订单',
      signature: 'load = async (page: number)',
    });
    expect(o.imports).toEqual([{ source: 'vue', names: ['ref'], line: 12 }]);
  });

  it('reads texts, attributes, keys and comments of the template, and no style', () => {
    expect(o.strings).toEqual([
      { line: 3, text: '订单管理' },
      { line: 4, text: '取消订单' },
      { line: 4, text: 'order.cancel.title' },
      { line: 15, text: '加载成功' },
    ]);
    expect(o.comments.map((c) => [c.line, c.text])).toEqual([
      [1, '订单列表页'],
      [5, '分页'],
      [13, '加载订单'],
    ]);
  });

  it('reads the options API, also with JSX in a plain script', async () => {
    const options = await outline(
      'OrderList.vue',
      lines(
        '<script>',
        'export default {',
        '  props: { rows: { default: () => [] } },',
        '  methods: {',
        '    /** 取消 */',
        '    cancel() { return <b>取消</b>; },',
        '  },',
        '};',
        '</script>',
      ),
    );
    expect(names(options)).toEqual(['class OrderList', 'method cancel']);
    expect(symbol(options, 'cancel')).toMatchObject({ line: 6, doc: '取消' });
  });
});

describe('HTML', () => {
  it('reads title, texts and scripts', async () => {
    const o = await outline(
      'a.html',
      lines(
        '<html><head><title>商城后台</title></head>',
        '<body><p>欢迎</p>',
        '<script>function start() {}</script></body></html>',
      ),
    );
    expect(o.headComment).toBe('商城后台');
    expect(names(o)).toEqual(['function start']);
    expect(symbol(o, 'start').line).toBe(3);
  });
});

describe('locale files give keys with their texts', () => {
  it('JSON, nested and with arrays', async () => {
    const o = await outline(
      'i18n/zh-CN.json',
      '{\n  "order": { "cancel": { "title": "取消订单" } },\n  "menu": ["x", "首页"]\n}\n',
    );
    expect(o.i18n).toEqual([
      { key: 'order.cancel.title', text: '取消订单', line: 2 },
      { key: 'menu.1', text: '首页', line: 3 },
    ]);
  });

  it('TypeScript object literals', async () => {
    const o = await outline(
      'src/locales/zh-CN.ts',
      "export default {\n  // 订单\n  order: { cancel: '取消订单', 'state.paid': `已支付` },\n};\n",
    );
    expect(o.i18n).toEqual([
      { key: 'order.cancel', text: '取消订单', line: 3 },
      { key: 'order.state.paid', text: '已支付', line: 3 },
    ]);
  });

  it('properties with escapes, and YAML by indentation', async () => {
    const props = await outline('messages_zh_CN.properties', 'order.cancel=\\u53d6\\u6d88\n# 注释\norder.pay = 支付\n');
    expect(props.i18n).toEqual([
      { key: 'order.cancel', text: '取消', line: 1 },
      { key: 'order.pay', text: '支付', line: 3 },
    ]);
    const yaml = await outline(
      'lang/zh.yml',
      'order:\n  cancel: 取消 # 按钮\n  state:\n    paid: "已支付"\npay: 支付\n',
    );
    expect(yaml.i18n).toEqual([
      { key: 'order.cancel', text: '取消', line: 2 },
      { key: 'order.state.paid', text: '已支付', line: 4 },
      { key: 'pay', text: '支付', line: 5 },
    ]);
  });

  it('other data files give strings, but no keys', async () => {
    const o = await outline('config.json', '{ "name": "商城" }');
    expect(o.i18n).toBeUndefined();
    expect(o.strings).toEqual([{ line: 1, text: '商城' }]);
  });
});

describe('documents', () => {
  it('summarises Markdown by its first heading, front matter and code fences aside', async () => {
    const o = await outline(
      'docs/接入指南.md',
      lines('---', 'title: x', '---', '# 支付接入指南', '', '正文。', '```', '# 不是标题', '```', '## 验签'),
    );
    expect(o.summary).toBe('支付接入指南');
    expect(o.comments).toEqual([
      { line: 4, text: '支付接入指南' },
      { line: 10, text: '验签' },
    ]);
  });

  it('summarises package.json by its description, YAML by its head comment', async () => {
    expect(
      (await outline('package.json', '{\n  "name": "mall",\n  "description": "一个能跑的商城"\n}')).summary,
    ).toMatch(/^一个能跑的商城/);
    expect((await outline('app.yml', '# 订单服务的配置\norder:\n  retry: 3\n')).summary).toBe('订单服务的配置：order');
  });
});
