import type { WarningLines } from './types.js';

/** SQL and tables. */
export const SQL_LINES: WarningLines = {
  'g-sql-concatenation': {
    bad: [
      'String sql = "select * from orders where id = " + id;',
      'const rows = await db.query(`select id from users where name = ${name}`);',
      'cursor.execute(f"delete from cart where user_id = {uid}")',
      'sql = "update user set name = \'" + name + "\' where id = 1";',
      'rows, err := db.Query(fmt.Sprintf("select id from t where name = \'%s\'", name))',
    ],
    good: [
      "db.query('select id from users where name = ?', [name])",
      'const rows = await sql`select id from users where name = ${name}`;',
      'const text = `共 ${total} 条`;',
      'const title = "update " + name;',
      'String count = "select count(*) from (" + sql + ") t";',
    ],
  },
  'g-mybatis-dollar': {
    path: 'src/main/resources/mapper/OrderMapper.xml',
    bad: [
      '  order by ${sortField}',
      "  and name like '%${keyword}%'",
      '  and user_id = ${userId}',
      'select id from ${tableName}',
    ],
    good: [
      '  and name = #{name}',
      '  and ${criterion.condition}',
      '  order by ${orderByClause}',
      '<mapper namespace="${package}.OrderMapper">',
      '  order by create_time desc',
    ],
  },
  'g-like-leading-wildcard': {
    path: 'src/main/resources/mapper/OrderMapper.xml',
    bad: [
      'wrapper.like(Order::getMobile, mobile)',
      "  and receiver_name like concat('%', #{keyword}, '%')",
      'sql += " and name like \'%" + name + "%\'";',
      "  and title like '%#{title}%'",
    ],
    good: [
      "  and order_no like concat(#{keyword}, '%')",
      "  where name like 'test%'",
      "  update t set url = replace(url, 'http', 'https') where url like '%shop.com%'",
      '  and name = #{name}',
    ],
  },
  'g-sql-function-on-column': {
    bad: [
      "  AND date_format(create_time,'%Y%m%d') &gt;= #{begin}",
      'select id from orders where date(create_time) = ?',
      'where year(pay_time) = 2026',
    ],
    good: [
      'select date(create_time), count(*) from orders group by date(create_time)',
      'where create_time >= ? and create_time < ?',
      "select date_format(create_time, '%Y-%m') as month from orders",
      "  and create_time >= date_format(#{begin}, '%Y%m%d')",
    ],
  },
  'g-deep-offset': {
    bad: [
      'select id from orders order by id limit 100000, 20',
      'LIMIT 20 OFFSET 500000',
      'query.skip(200000).limit(100)',
    ],
    good: [
      'select id from orders where id > ? order by id limit 20',
      'limit 0, 20',
      'LIMIT 20 OFFSET 40',
      'limit #{offset}, #{size}',
    ],
  },
  'g-huge-page-size': {
    bad: [
      'Page<Order> page = new Page<>(1, 10000);',
      'PageHelper.startPage(1, Integer.MAX_VALUE);',
      'req.setPageSize(-1);',
      '  pageSize: 99999,',
    ],
    good: [
      'Page<Order> page = new Page<>(pageNum, pageSize);',
      'PageHelper.startPage(1, 200);',
      'req.setPageSize(100);',
      '  pageSize: 20,',
      '  limit: 1000',
    ],
  },
  'g-order-by-rand': {
    bad: [
      "query.orderByRaw('rand()')",
      'select id from goods order by rand() limit 5',
      'ORDER BY RANDOM()',
      "Goods.objects.order_by('?')[:5]",
    ],
    good: ['order by create_time desc', 'select rand() * 100', "Goods.objects.order_by('-id')", 'order by random_no'],
  },
  'g-write-without-where': {
    path: 'src/main/java/com/shop/GoodsMapper.java',
    bad: [
      'delete from cart;',
      '@Delete("delete from login_log")',
      'update goods set stock = 0;',
      'goodsMapper.delete(new QueryWrapper<>());',
      'jdbc.update("update goods set on_sale = 0", args);',
    ],
    good: [
      'delete from cart where user_id = ?;',
      'update goods set stock = 0 where id = 3;',
      'delete from cart',
      'goodsMapper.delete(wrapper);',
      'goodsMapper.update(goods, wrapper);',
    ],
  },
  'g-ddl-drop': {
    path: 'db/migration/V12__order.sql',
    bad: [
      '    DROP COLUMN remark;',
      'jdbc.execute("drop table orders");',
      'ALTER TABLE orders DROP COLUMN remark;',
      'alter table `orders` drop `remark`',
      'ALTER TABLE orders CHANGE pay_time paid_time datetime;',
      'truncate table orders;',
      '        migrations.RemoveField(',
    ],
    good: [
      'ALTER TABLE orders ADD COLUMN remark varchar(200) NULL;',
      'alter table orders drop index idx_name;',
      'DROP TABLE IF EXISTS `orders`;',
      'ALTER TABLE orders CHANGE remark remark varchar(500);',
      '        migrations.AddField(',
    ],
  },
  'g-replace-into': {
    bad: [
      'REPLACE INTO sku_stock (id, stock) VALUES (?, ?)',
      'replace into config values (1, 2)',
      '  REPLACE INTO ${table} SELECT id FROM t',
    ],
    good: [
      'INSERT INTO sku_stock (id, stock) VALUES (?, ?) ON DUPLICATE KEY UPDATE stock = VALUES(stock)',
      "select replace(name, 'a', 'b') from t",
      '// 把旧文案 replace into 新文案',
      "text.replace('a', 'b')",
    ],
  },
  'g-varchar-too-long': {
    bad: [
      '  content varchar(8000) NULL,',
      '  `detail` VARCHAR(10000) DEFAULT NULL,',
      '@Column(name = "body", length = 20000)',
    ],
    good: [
      '  name varchar(64) NOT NULL,',
      '  remark varchar(5000) NULL,',
      '  content text,',
      '@Column(name = "name", length = 64)',
    ],
  },
  'g-query-in-loop': {
    bad: [
      'ids.forEach(orderMapper::deleteById);',
      'ids.forEach(id -> orderMapper.updateById(toEntity(id)));',
      'for (Order o : orders) { orderMapper.updateById(o); }',
      'orders.stream().map(o -> userMapper.selectById(o.getUserId())).toList();',
      'await Promise.all(ids.map(async (id) => await this.userRepository.findOne(id)));',
    ],
    good: [
      'List<User> users = userMapper.selectBatchIds(ids);',
      'orders.stream().map(Order::getUserId).toList();',
      'orders.forEach(o -> o.setUser(users.get(o.getUserId())));',
      'const rows = await this.userRepository.find({ where: { id: In(ids) } });',
    ],
  },
  'g-select-star-in-export': {
    path: 'src/export/order-exporter.ts',
    bad: [
      "const rows = await db.all('SELECT * FROM orders');",
      'select o.* from orders o',
      "cursor.execute('select * from orders')",
    ],
    good: [
      "const rows = await db.all('SELECT id, amount FROM orders');",
      'select count(*) from orders',
      '@Schema(example = "SELECT * FROM user")',
      "import * as fs from 'node:fs';",
    ],
  },
  'g-mysql-utf8mb3': {
    bad: [
      ') ENGINE=InnoDB DEFAULT CHARSET=utf8;',
      'CREATE DATABASE shop CHARACTER SET utf8mb3',
      'name varchar(64) collate utf8_general_ci',
    ],
    good: [
      ') ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;',
      'collate utf8mb4_0900_ai_ci',
      '<meta charset="utf-8">',
      'charset=utf-8',
    ],
  },
  'g-select-for-update': {
    bad: [
      'wrapper.eq(Coupon::getStatus, 1).last("for update")',
      'select id from orders where status = 1 for update',
      "SELECT * FROM coupon WHERE name = 'x' FOR UPDATE",
      'Coupon.objects.select_for_update().filter(status=1)',
    ],
    good: [
      'select id, stock from sku where id = ? for update',
      'SELECT * FROM orders WHERE order_no = ? FOR UPDATE',
      'Coupon.objects.select_for_update().get(pk=pk)',
      '// wait for update from the server',
    ],
  },
  'g-schema-auto-update': {
    path: 'src/main/resources/application.yml',
    bad: [
      '<prop key="hibernate.hbm2ddl.auto">update</prop>',
      '      ddl-auto: update',
      'spring.jpa.hibernate.ddl-auto=create',
      'await sequelize.sync({ alter: true });',
      '  synchronize: true,',
    ],
    good: [
      '      ddl-auto: none',
      'spring.jpa.hibernate.ddl-auto=validate',
      'await sequelize.authenticate();',
      '  synchronize: false,',
    ],
  },
};
