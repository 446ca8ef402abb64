import type { WarningLines } from './types.js';

/** Money and payment. */
export const MONEY_LINES: WarningLines = {
  'g-money-as-float': {
    bad: [
      'private double totalAmount;',
      'float price = 0;',
      '  `refund_amount` DOUBLE NOT NULL,',
      '  price float not null default 0,',
      'const n = parseFloat(order.amount);',
      'BigDecimal rate = new BigDecimal(0.1);',
      'double sum = order.getAmount().doubleValue() + fee;',
    ],
    good: [
      'private long totalAmountFen;',
      'private BigDecimal totalAmount;',
      '  `amount` DECIMAL(12, 2) NOT NULL,',
      'BigDecimal rate = new BigDecimal("0.1");',
      'BigDecimal total = new BigDecimal(0.00);',
      'const width = parseFloat(style.width);',
      'float opacity = 1;',
    ],
  },
  'g-yuan-to-fen-without-round': {
    bad: ['total: order.price * 100,', 'const fen = yuan * 100;', 'body.amount = payAmount*100'],
    good: [
      'const fen = Math.round(yuan * 100);',
      'const percent = paidAmount * 100 / total;',
      'const x = count * 100;',
      'price.multipliedBy(100).toFixed(0) // price * 100',
      'const big = price * 1000;',
      '<span>{{ order.price * 100 | yuan }}</span>',
      'price = (price * 100 + small.price * 100) / 100',
    ],
  },
  'g-long-id-as-number': {
    path: 'src/api/order.ts',
    bad: ['const id = Number(req.params.orderId);', 'parseInt(row.user_id, 10)', 'Number(tradeNo)'],
    good: [
      'const page = Number(req.query.page);',
      'const id = String(req.params.orderId);',
      'parseInt(orderCount, 10)',
      'const orderId = BigInt(row.orderId);',
    ],
  },
  'g-bigdecimal-equals': {
    bad: [
      'if (amount.equals(BigDecimal.ZERO)) {',
      'return BigDecimal.ZERO.equals(order.getPayAmount());',
      'if (!order.getAmount().equals(notice.getAmount())) {',
    ],
    good: [
      'if (amount.compareTo(BigDecimal.ZERO) == 0) {',
      'if (order.getAmount().compareTo(notice.getAmount()) != 0) {',
      'if ("PAID".equals(order.getStatus())) {',
      'return amount.add(BigDecimal.ONE);',
      '&& (this.getPrice() == null ? other.getPrice() == null : this.getPrice().equals(other.getPrice()))',
    ],
  },
  'g-bigdecimal-divide-without-scale': {
    path: 'src/main/java/com/shop/PriceService.java',
    bad: [
      'BigDecimal each = total.divide(BigDecimal.valueOf(count));',
      'return amount.divide(new BigDecimal("3"));',
      'BigDecimal yuan = fen.divide(HUNDRED);',
      'BigDecimal unit = totalAmount.divide(quantity);',
    ],
    good: [
      'BigDecimal each = total.divide(BigDecimal.valueOf(count), 2, RoundingMode.HALF_UP);',
      'return amount.divide(HUNDRED, 2, RoundingMode.DOWN);',
      'BigDecimal[] parts = total.divideAndRemainder(quantity);',
      'long half = total / 2;',
    ],
  },
  'g-money-to-fixed': {
    bad: [
      'const total = Number((price * count).toFixed(2));',
      'order.amount = +(order.price * 0.85).toFixed(2);',
      'const fee = parseFloat((amount * rate).toFixed(2));',
    ],
    good: [
      'const text = (fen / 100).toFixed(2);',
      "msg += '，还需支付 ' + (money - balance).toFixed(2) + ' 元';",
      'const total = Number(width.toFixed(2));',
      'const label = `${price.toFixed(2)} 元`;',
    ],
  },
  'g-callback-trusted-unverified': {
    bad: [
      "if (req.body.trade_status === 'TRADE_SUCCESS') {",
      'String no = request.getParameter("out_trade_no");',
      'const amount = ctx.request.body.total_amount;',
      'skipVerify: true,',
    ],
    good: [
      'const notice = verifyNotify(req.headers, rawBody);',
      "if (notice.trade_status === 'TRADE_SUCCESS') {",
      'const page = req.query.page;',
      'skipVerify: false,',
      'tlsConfig.InsecureSkipVerify = true',
    ],
  },
  'g-callback-not-idempotent': {
    path: 'src/payment/notify-handler.ts',
    bad: [
      'account.balance += notice.amount;',
      "sql('update account set balance = balance + ?')",
      'user.points += order.points;',
    ],
    good: [
      'const balance = await load(id);',
      'retries += 1;',
      'update orders set state = ? where id = ? and state = ?',
      'const points = pointsOf(order);',
    ],
  },
  'g-verify-reserialized-body': {
    bad: [
      'const ok = verifySign(JSON.stringify(req.body), sign);',
      'if (!verifier.verify(serial, JSON.toJSONString(notifyParams), signature)) {',
      'ok = verify_signature(json.dumps(request.json), headers)',
    ],
    good: [
      'const ok = verifySign(rawBody, req.headers);',
      'const sign = createSign(JSON.stringify(params));',
      'if (!verifier.verify(serial, rawBody, signature)) {',
      'log.info(JSON.stringify(req.body));',
    ],
  },
  'g-amount-from-client': {
    bad: [
      'const amount = req.body.totalPrice;',
      'await createOrder(goodsId, ctx.request.body.pay_amount);',
      'public Result create(@RequestParam("amount") BigDecimal totalAmount) {',
      'String amount = request.getParameter("totalPrice");',
    ],
    good: [
      'const amount = priceOf(goods, req.body.count);',
      'goods.price = req.body.price;',
      'public Result list(@RequestParam Integer pageNum) {',
      'const total = rows.totalPrice;',
    ],
  },
  'g-pay-environment-sandbox': {
    path: 'src/pay/AlipayConfig.java',
    bad: [
      'String api = "https://api.mch.weixin.qq.com/sandboxnew/pay/unifiedorder";',
      'private String gatewayUrl = "https://openapi.alipaydev.com/gateway.do";',
      'String url = "https://openapi-sandbox.dl.alipaydev.com/gateway.do";',
      'String FRONT = "https://gateway.test.95516.com/gateway/api/frontTransReq.do";',
    ],
    good: [
      'private String gatewayUrl = "https://openapi.alipay.com/gateway.do";',
      'String url = properties.getGatewayUrl();',
      ' * 沙箱：https://openapi-sandbox.dl.alipaydev.com/gateway.do',
      'boolean sandbox = env.isSandbox();',
    ],
  },
};
